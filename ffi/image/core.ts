import { arenaMemory } from "../arena_memory.ts";
import type { StampSpec } from "../emit/emitter.ts";
import { GATE, LEAVE, SCRATCH_SIZE, stampKey, TABLE_SETS } from "../emit/layout.ts";
import { libcAddress } from "../libc.ts";
import { parseSignature } from "../signature.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "./image.ts";
import { loadPrebuilt, PREBUILT } from "./prebuilt.ts";

/** The image with the helpers, the stubs of the registries' commands and their terminators. */
export interface Core {
  /** The image with the helper functions. */
  readonly image: Image;
  /** Offsets in the image's data. */
  readonly slots: Readonly<Record<string, number>>;
  /** The scratch area of `readString`. */
  readonly scratch: Uint8Array<ArrayBuffer>;
  /** The {@linkcode TABLE_SETS}, which all images may read. */
  readonly tables: DataView<ArrayBuffer>;
  /** Address of the table sets. */
  readonly tablesAddress: bigint;
  /** The {@linkcode GATE} of this isolate. */
  readonly gate: DataView<ArrayBuffer>;
  /** Address of the gate. */
  readonly gateAddress: bigint;
  /** The {@linkcode LEAVE} block of this isolate. */
  readonly leave: DataView<ArrayBuffer>;
}

/** The helpers that every program needs before its first object. */
const FIRST_HELPERS: Readonly<Record<string, string>> = {
  invoke: "v:q",
  peek32: "w:q",
  peek64: "q:q",
  poke64: "v:qq",
  publish64: "v:qq",
  copyToArena: "v:wqw",
  fillTable: "v:qqqqq",
};
const wantedStubs = new Set<string>();
const wantedStamps = new Map<string, StampSpec>();
/** Images that were emitted because the core image lacks their contents, by what they contain. */
const homes = new Map<string, Image>();
let core: Core | undefined | null = null;

/**
 * Declares signatures that will be bound, separated by spaces, so that one
 * image holds their stubs: those by table, and those by address without arena
 * offsets. The core image has the stubs of all commands of the registries. Any
 * other stub works as well, but gets a small image of its own when it is bound,
 * which takes half a millisecond.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk, declareSignatures } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * declareSignatures("w:ww q:qw"); // one image then has the stubs of both
 * using add = createThunk("w:ww", (one, other) => Number(one) + Number(other));
 * assertEquals(bindByAddress("w:ww")(1, 2, add.address), 3);
 * ```
 */
export function declareSignatures(list: string): void {
  // The same rules as in parseSignature(), applied to the whole list at once: there may be hundreds, and most are never
  // bound.
  const shapes = list.replace(/\w:/g, "_").replace(/[fd]/g, "").replace(/[^o_\s]/g, "i");
  for (const shape of new Set(shapes.split(/\s+/))) {
    if (shape === "") continue;
    wantedStubs.add("t" + shape);
    if (!shape.includes("o")) wantedStubs.add("a" + shape);
  }
}

/**
 * Declares terminators that will be asked for; see {@linkcode StampSpec}. If a
 * name is declared twice, the later declaration counts.
 *
 * @example
 * ```ts
 * import { declareStamps, stampAddress } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const enumerate = { handles: "array", argument: 2, result: true, hiddenOffset: 16, failure: 0 } as const;
 * declareStamps([{ name: "exampleEnumerate", ...enumerate }]);
 * assertEquals(stampAddress("exampleEnumerate"), stampAddress("exampleEnumerate"));
 * ```
 */
export function declareStamps(specs: Iterable<StampSpec>): void {
  for (const spec of specs) {
    wantedStamps.set(spec.name, spec);
    homes.delete(spec.name);
  }
}

/** Returns the core image, loaded at the first call; `undefined` where emitted code cannot be used. */
export function coreImage(): Core | undefined {
  return core === null ? core = loadCore() : core;
}

/** Returns the image that has the stub for a signature, and the stub's name. */
export function stubHome(signature: string, byTable: boolean): { image: Image; name: string } | undefined {
  const name = (byTable ? "t_" : "a_") + parseSignature(signature).shape, core = coreImage();
  if (core?.image.has(name)) return { image: core.image, name };
  wantedStubs.add(name);
  const image = core && homeOf(name);
  return image && { image, name };
}

/** Returns the address of a declared terminator; `undefined` if it does not exist in machine code. */
export function stampAddress(name: string): bigint | undefined {
  const spec = wantedStamps.get(name), core = coreImage();
  if (!spec) throw new RangeError(`Cannot find terminator "${name}": call declareStamps() with it first`);
  const image = core && isInCore(spec) ? core.image : core && homeOf(name);
  return image?.address(name);
}

/** Returns a declared terminator. */
export function stampSpec(name: string): StampSpec | undefined {
  return wantedStamps.get(name);
}

function homeOf(name: string): Image | undefined {
  if (!homes.has(name)) emitRest();
  return homes.get(name);
}

function loadCore(): Core | undefined {
  const image = PREBUILT && loadPrebuilt(PREBUILT.CORE);
  if (!image) return;
  const { data, dataAddress } = image, { slots } = PREBUILT!.CORE;
  data.setBigUint64(slots.arenaBase, arenaMemory().base, true);
  data.setBigUint64(slots.leaveAddress, dataAddress + BigInt(slots.leave), true);
  data.setBigUint64(slots.memcpy, libcAddress("memcpy"), true);
  image.bindTogether(FIRST_HELPERS);
  return {
    image,
    slots,
    scratch: new Uint8Array(data.buffer, slots.scratch, SCRATCH_SIZE),
    tables: new DataView(data.buffer, slots.tables, TABLE_SETS.size),
    tablesAddress: dataAddress + BigInt(slots.tables),
    gate: new DataView(data.buffer, slots.gate, GATE.size),
    gateAddress: dataAddress + BigInt(slots.gate),
    leave: new DataView(data.buffer, slots.leave, LEAVE.size),
  };
}

function isInCore(spec: StampSpec): boolean {
  return PREBUILT!.STAMPS.split(" ").includes(stampKey(spec));
}

/** Emits an image with all declarations that no image has yet. Without an assembler, they keep their portable form. */
function emitRest(): void {
  const { image: core } = coreImage()!, emitter = emitterForThisMachine();
  if (!emitter) return;
  const stubs = [...wantedStubs].filter((name) => !core.has(name) && !homes.has(name));
  const stamps = [...wantedStamps.values()].filter((spec) => !isInCore(spec) && !homes.has(spec.name));
  const arenaBase = emitter.code.reserve();
  for (const name of stubs) emitter.stub(name, name.slice(2), name[0] === "t", arenaBase);
  for (const spec of stamps) emitter.stamp(spec);
  const image = loadEmitted(emitter);
  if (!image) return;
  image.data.setBigUint64(arenaBase, arenaMemory().base, true);
  for (const name of [...stubs, ...stamps.map(({ name }) => name)]) homes.set(name, image);
}
