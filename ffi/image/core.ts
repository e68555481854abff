import { arenaMemory } from "../arena_memory.ts";
import type { StampSpec } from "../emit/emitter.ts";
import { DOOR, SCRATCH_SIZE, TABLE_SETS } from "../emit/layout.ts";
import { stampKey } from "../emit/stamp.ts";
import { libcAddress } from "../libc.ts";
import { parseSignature } from "../signature.ts";
import { emitterForThisMachine, loadEmitted } from "./emitted.ts";
import type { Image } from "./image.ts";
import { loadPrebuilt, PREBUILT } from "./prebuilt.ts";

/** The image with the helpers, the stubs of the registries' commands and their terminators. */
export interface Core {
  /** The image with the helper functions. */
  readonly image: Image;
  /** Where things lie in its data. */
  readonly slots: Readonly<Record<string, number>>;
  /** The scratch area of `readString`. */
  readonly scratch: Uint8Array<ArrayBuffer>;
  /** The {@linkcode TABLE_SETS}, which all images may look at, and where they are. */
  readonly tables: DataView<ArrayBuffer>;
  /** Their address. */
  readonly tablesAddress: bigint;
  /** The {@linkcode DOOR} of this isolate. */
  readonly door: DataView<ArrayBuffer>;
  /** Its address. */
  readonly doorAddress: bigint;
}

const wantedStubs = new Set<string>();
const wantedStamps = new Map<string, StampSpec>();
/** The images that were emitted for what the core image lacks, by what is in them. */
const homes = new Map<string, Image>();
let core: Core | undefined | null = null;

/**
 * Names signatures that will be bound, separated by spaces, so that one image
 * holds their stubs: those by table, and those by address that take no arena
 * offsets. The stubs of all commands of the registries are there anyway; any
 * other stub still works, but gets a small image of its own when it is bound,
 * half a millisecond each time.
 */
export function declareSignatures(list: string): void {
  // As in parseSignature(), but for all at once: there may be hundreds, and most are never bound.
  const shapes = list.replace(/\w:/g, "_").replace(/[fd]/g, "").replace(/[^o_\s]/g, "i");
  for (const shape of new Set(shapes.split(/\s+/))) {
    if (shape === "") continue;
    wantedStubs.add("t" + shape);
    if (!shape.includes("o")) wantedStubs.add("a" + shape);
  }
}

/** Names terminators that will be asked for; see {@linkcode StampSpec}. A name declared twice keeps its last meaning. */
export function declareStamps(specs: Iterable<StampSpec>): void {
  for (const spec of specs) {
    wantedStamps.set(spec.name, spec);
    homes.delete(spec.name);
  }
}

/** The core image, loaded at the first call; `undefined` where code of ours cannot be used. */
export function coreImage(): Core | undefined {
  return core === null ? core = loadCore() : core;
}

/** The image that has the stub for a signature, and the stub's name. */
export function stubHome(signature: string, byTable: boolean): { image: Image; name: string } | undefined {
  const name = (byTable ? "t_" : "a_") + parseSignature(signature).shape, core = coreImage();
  if (core?.image.has(name)) return { image: core.image, name };
  wantedStubs.add(name);
  const image = core && homeOf(name);
  return image && { image, name };
}

/** Address of a declared terminator; `undefined` where there is none in machine code. */
export function stampAddress(name: string): bigint | undefined {
  const spec = wantedStamps.get(name), core = coreImage();
  if (!spec) throw new RangeError(`Cannot find terminator "${name}": call declareStamps() with it first`);
  const image = core && isInCore(spec) ? core.image : core && homeOf(name);
  return image?.address(name);
}

/** A terminator that was declared. */
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
  data.setBigUint64(slots.memcpy, libcAddress("memcpy"), true);
  return {
    image,
    slots,
    scratch: new Uint8Array(data.buffer, slots.scratch, SCRATCH_SIZE),
    tables: new DataView(data.buffer, slots.tables, TABLE_SETS.size),
    tablesAddress: dataAddress + BigInt(slots.tables),
    door: new DataView(data.buffer, slots.door, DOOR.size),
    doorAddress: dataAddress + BigInt(slots.door),
  };
}

function isInCore(spec: StampSpec): boolean {
  return PREBUILT!.STAMPS.split(" ").includes(stampKey(spec));
}

/** What was declared and is in no image yet, in an image of its own; without an assembler, it stays in its portable form. */
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
