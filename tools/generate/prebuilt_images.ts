import { writeElf } from "../../ffi/asm/elf.ts";
import type { Prebuilt, PrebuiltImages } from "../../ffi/image/prebuilt.ts";
import type { DeepCopySpec, Emitter, RefuseSlots, StampSpec } from "../../ffi/emit/emitter.ts";
import {
  GATE,
  LEAVE,
  LOOKUP,
  POOL_SIZE,
  SCRATCH_SIZE,
  SONAME,
  stampKey,
  TABLE_SETS,
  THUNK,
} from "../../ffi/emit/layout.ts";

/** The contents of an image made beforehand that depend on its users. */
export interface PrebuiltContents {
  /** The signatures that get stubs. */
  readonly signatures: readonly string[];
  /** For each kind of handle, the signatures of commands that may be given other addresses. */
  readonly checked: Readonly<Record<"instance" | "device", readonly string[]>>;
  /** Further signatures of functions that are only called by address. */
  readonly byAddress: readonly string[];
  /** The terminators. */
  readonly stamps: readonly StampSpec[];
  /** The deep copies, by name. */
  readonly copies: Readonly<Record<string, DeepCopySpec>>;
}

/** Makes the images for a processor. `emitter` returns a new emitter at each call. */
export function prebuiltImages(emitter: () => Emitter, contents: PrebuiltContents): PrebuiltImages {
  return {
    CORE: core(emitter(), contents),
    POOL: pool(emitter()),
    LAST: last(emitter()),
    STAMPS: contents.stamps.map(stampKey).join(" "),
  };
}

function core(emitter: Emitter, { signatures, byAddress, checked, stamps, copies }: PrebuiltContents): Prebuilt {
  const { code } = emitter;
  const helpers = { arenaBase: code.reserve(), memcpy: code.reserve(), scratch: code.reserve(SCRATCH_SIZE, 64) };
  const tables = code.reserve(TABLE_SETS.size, 64);
  const gate = code.reserve(GATE.size, 64);
  emitter.helpers(helpers);
  emitter.gate();
  const leave = code.reserve(LEAVE.size), leaveAddress = code.reserve();
  emitter.takeLeave(leaveAddress);
  for (const [name, spec] of Object.entries(copies)) emitter.deepCopy(name, spec);
  const shapes = shapesOf(signatures), plain = shapes.filter((shape) => !shape.includes("o"));
  for (const shape of shapes) emitter.stub(`t_${shape}`, shape, true, helpers.arenaBase);
  for (const shape of new Set([...plain, ...shapesOf(byAddress)])) {
    emitter.stub(`a_${shape}`, shape, false, helpers.arenaBase);
  }
  const refusal = {
    sets: code.reserve(),
    refuse: code.reserve(),
    instance: code.reserve(),
    device: code.reserve(),
  };
  writeChecked(emitter, checked, refusal);
  for (const spec of stamps) emitter.stamp(spec);
  return prebuilt(emitter, { ...helpers, tables, gate, leave, leaveAddress, ...refusal, ...writePool(emitter) });
}

function writeChecked(emitter: Emitter, checked: PrebuiltContents["checked"], slots: RefuseSlots): void {
  const paths = emitter.refusalPaths(slots);
  for (const set of ["instance", "device"] as const) {
    for (const shape of shapesOf(checked[set])) emitter.checkedStub(`${set}_${shape}`, { shape, set }, slots, paths);
  }
}

/** Returns the different shapes of signatures, as in `parseSignature`. */
function shapesOf(signatures: readonly string[]): string[] {
  const shapes = signatures.map((signature) => signature.slice(2).replace(/[fd]/g, "").replace(/[^o]/g, "i"));
  return [...new Set(shapes)].toSorted();
}

function pool(emitter: Emitter): Prebuilt {
  return prebuilt(emitter, writePool(emitter));
}

/** Holds nothing but the address of what is called when the image is unloaded. */
function last(emitter: Emitter): Prebuilt {
  const target = emitter.code.reserve();
  return prebuilt(emitter, { target }, target);
}

/** Writes callbacks and lookup functions. */
function writePool(emitter: Emitter): Record<string, number> {
  const { code } = emitter;
  const thunks = code.reserve(THUNK.size * POOL_SIZE.thunks);
  const lookups = code.reserve(LOOKUP.size * POOL_SIZE.lookups);
  const spill = code.reserve(), callback = code.reserve(), gateAddress = code.reserve();
  emitter.thunks({ count: POOL_SIZE.thunks, records: thunks, spill, callback, gate: gateAddress });
  emitter.lookups(POOL_SIZE.lookups, lookups);
  return { thunks, lookups, spill, callback, gateAddress };
}

function prebuilt({ code }: Emitter, slots: Readonly<Record<string, number>>, last?: number): Prebuilt {
  const { bytes, codeAt, dataAt, sonameAt, dynamicAt } = writeElf(code, SONAME, { last });
  return {
    head: bytes.slice(0, codeAt + code.length).toBase64(),
    tail: bytes.slice(dynamicAt).toBase64(),
    tailAt: dynamicAt,
    sonameAt,
    dataSize: code.dataSize,
    dataToCode: codeAt - dataAt,
    slots,
    functions: code.exported.map(({ name, offset }) => `${name} ${offset}`).join(" "),
  };
}
