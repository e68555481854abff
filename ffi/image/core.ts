import { arenaMemory } from "../arena_memory.ts";
import type { Emitter, HelperSlots, StampSpec } from "../emit/emitter.ts";
import { TABLE_SETS } from "../emit/layout.ts";
import { libcAddress } from "../libc.ts";
import { parseSignature } from "../signature.ts";
import { emitterForThisMachine, Image } from "./image.ts";

/** The most bytes `readString` returns at once. */
export const SCRATCH_SIZE = 4096;

/** The image with the helpers, and the first and any later stubs. */
export interface Core {
  /** The image with the helper functions. */
  readonly image: Image;
  /** The scratch area of `readString`. */
  readonly scratch: Uint8Array<ArrayBuffer>;
  /** The {@linkcode TABLE_SETS}, which all images may look at, and where they are. */
  readonly tables: DataView<ArrayBuffer>;
  /** Their address. */
  readonly tablesAddress: bigint;
}

const wantedStubs = new Set<string>();
const wantedStamps = new Map<string, StampSpec>();
const homes = new Map<string, Image>();
let core: Core | undefined | null = null;

/**
 * Names the signatures that will be bound, separated by spaces, so that one
 * image holds all their stubs: those by table, and those by address that take
 * no arena offsets. Any other stub still works, but gets a small image of its
 * own when it is bound, half a millisecond each time.
 */
export function declareSignatures(list: string): void {
  // As in parseSignature(), but for all at once: there are hundreds, and most are never bound.
  const shapes = list.replace(/\w:/g, "_").replace(/[fd]/g, "").replace(/[^o_\s]/g, "i");
  for (const shape of new Set(shapes.split(/\s+/))) {
    if (shape === "") continue;
    wantedStubs.add("t" + shape);
    if (!shape.includes("o")) wantedStubs.add("a" + shape);
  }
}

/** Names terminators to be emitted; see {@linkcode StampSpec}. A name declared twice keeps its last meaning. */
export function declareStamps(specs: Iterable<StampSpec>): void {
  for (const spec of specs) {
    wantedStamps.set(spec.name, spec);
    homes.delete(spec.name);
  }
}

/** The core image, emitted at the first call; `undefined` where emitted code cannot be used. */
export function coreImage(): Core | undefined {
  return core === null ? core = emitCore() : core;
}

/** The image that has the stub for a signature, and the stub's name. */
export function stubHome(signature: string, byTable: boolean): { image: Image; name: string } | undefined {
  const name = stubName(signature, byTable);
  wantedStubs.add(name);
  const image = homeOf(name);
  return image && { image, name };
}

/** Address of a declared terminator. */
export function stampAddress(name: string): bigint | undefined {
  if (!wantedStamps.has(name)) {
    throw new RangeError(`Cannot find terminator "${name}": call declareStamps() with it first`);
  }
  return homeOf(name)?.address(name);
}

/** Terminators and stubs by name; `undefined` where emitted code cannot be used. */
export function stampSpec(name: string): StampSpec | undefined {
  return wantedStamps.get(name);
}

function stubName(signature: string, byTable: boolean): string {
  return (byTable ? "t_" : "a_") + parseSignature(signature).shape;
}

function homeOf(name: string): Image | undefined {
  if (!coreImage()) return;
  const home = homes.get(name);
  if (home) return home;
  emitRest();
  return homes.get(name);
}

function emitCore(): Core | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const slots = reserveSlots(emitter), tables = emitter.code.reserve(TABLE_SETS.size, 64);
  emitter.helpers(slots);
  const image = emitWanted(emitter, slots.arenaBase);
  if (!image) return;
  image.data.setBigUint64(slots.memcpy, libcAddress("memcpy"), true);
  return {
    image,
    scratch: new Uint8Array(image.data.buffer, slots.scratch, SCRATCH_SIZE),
    tables: new DataView(image.data.buffer, tables, TABLE_SETS.size),
    tablesAddress: image.dataAddress + BigInt(tables),
  };
}

function reserveSlots({ code }: Emitter): HelperSlots {
  return { arenaBase: code.reserve(), memcpy: code.reserve(), scratch: code.reserve(SCRATCH_SIZE, 64) };
}

/** What was declared after the core image, in an image of its own. */
function emitRest(): void {
  const emitter = emitterForThisMachine();
  if (emitter) emitWanted(emitter, emitter.code.reserve());
}

function emitWanted(emitter: Emitter, arenaBase: number): Image | undefined {
  const stubs = [...wantedStubs].filter((name) => !homes.has(name));
  const stamps = [...wantedStamps.values()].filter(({ name }) => !homes.has(name));
  for (const name of stubs) emitter.stub(name, name.slice(2), name[0] === "t", arenaBase);
  for (const spec of stamps) emitter.stamp(spec);
  const image = Image.load(emitter);
  if (!image) return;
  image.data.setBigUint64(arenaBase, arenaMemory().base, true);
  for (const name of stubs) homes.set(name, image);
  for (const { name } of stamps) homes.set(name, image);
  return image;
}
