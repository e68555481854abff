import { LASTING, NativeBlock } from "../block.ts";
import { ENTRY_SIZE, LOOKUP, POOL_SIZE, SPILL, THUNK } from "../emit/layout.ts";
import { type Core, coreImage } from "../image/core.ts";
import { prepareGate } from "./cross_thread_gate.ts";
import { enterThunk, THUNK_BODIES } from "./body.ts";
import type { Image } from "../image/image.ts";
import { loadPrebuilt, PREBUILT } from "../image/prebuilt.ts";

/** An emitted function of the pool: its address, and the data it reads. */
export interface PoolEntry {
  /** The function's address. */
  readonly address: bigint;
  /** The function's record, laid out as {@linkcode THUNK} or {@linkcode LOOKUP}. */
  readonly record: DataView<ArrayBuffer>;
  /** Address of the record. */
  readonly recordAddress: bigint;
  /** For a thunk, the address where other threads wait for this one; 0n for a lookup function. */
  readonly crossing: bigint;
}

/** The functions of one kind in an image, handed out in order. Returned functions are handed out first. */
class Shelf {
  readonly #count: number;
  readonly #recordSize: number;
  readonly #returned: PoolEntry[] = [];
  #image: Image | undefined;
  #first = 0n;
  #crossing = 0n;
  #records = 0;
  #next: number;

  constructor(count: number, recordSize: number) {
    this.#count = this.#next = count;
    this.#recordSize = recordSize;
  }

  get isEmpty(): boolean {
    return this.#returned.length === 0 && this.#next === this.#count;
  }

  refill(image: Image, name: string, records: number): void {
    this.#image = image;
    this.#crossing = name === "thunks" ? image.address("crossing") : 0n;
    this.#first = image.address(name);
    this.#records = records;
    this.#next = 0;
  }

  take(prepare?: (entry: PoolEntry) => void): PoolEntry | undefined {
    if (this.#returned.length > 0 || this.isEmpty) return this.#returned.pop();
    return this.#fresh(prepare);
  }

  #fresh(prepare?: (entry: PoolEntry) => void): PoolEntry {
    const index = this.#next++, record = this.#records + this.#recordSize * index, image = this.#image!;
    const entry = {
      address: this.#first + BigInt(ENTRY_SIZE * index),
      record: new DataView(image.data.buffer, image.data.byteOffset + record, this.#recordSize),
      recordAddress: image.dataAddress + BigInt(record),
      crossing: this.#crossing,
    };
    prepare?.(entry);
    return entry;
  }

  /** Functions left before another image is needed. */
  get spare(): number {
    return this.#returned.length + this.#count - this.#next;
  }

  /** Puts the rest of the image into the spare list, to make room for another image's. */
  layAside(prepare?: (entry: PoolEntry) => void): void {
    const rest: PoolEntry[] = [];
    while (this.#next < this.#count) rest.push(this.#fresh(prepare));
    this.#returned.push(...rest);
  }

  give(entry: PoolEntry): void {
    this.#returned.push(entry);
  }
}

const thunks = new Shelf(POOL_SIZE.thunks, THUNK.size);
const lookups = new Shelf(POOL_SIZE.lookups, LOOKUP.size);
let spill: NativeBlock | undefined;
let callback: Deno.UnsafeCallback<{ parameters: []; result: "void" }> | undefined;

/** Takes a callback thunk; `undefined` where emitted code cannot be used. */
export function takeThunk(): PoolEntry | undefined {
  if (thunks.isEmpty) grow();
  return thunks.take(number);
}

/** Gives an index to a thunk that was never used. */
function number({ record }: PoolEntry): void {
  record.setUint32(THUNK.index, THUNK_BODIES.push(undefined) - 1, true);
}

/**
 * Makes sure that so many thunks and lookup functions can be taken without
 * another image, that is, inside a callback.
 */
export function stockPool(thunkCount: number, lookupCount: number): void {
  while (coreImage() && (thunks.spare < thunkCount || lookups.spare < lookupCount)) {
    thunks.layAside(number);
    lookups.layAside();
    if (!grow(true)) return;
  }
}

/** Returns a callback thunk to the pool. Nobody may hold its address any more. */
export function giveThunk(entry: PoolEntry): void {
  thunks.give(entry);
}

/** Takes a lookup function; `undefined` where emitted code cannot be used. */
export function takeLookup(): PoolEntry | undefined {
  if (lookups.isEmpty) grow();
  return lookups.take();
}

/** Returns a lookup function to the pool. Nobody may hold its address any more. */
export function giveLookup(entry: PoolEntry): void {
  lookups.give(entry);
}

/**
 * The memory in which thunks leave their arguments. One block is enough: thunks
 * run on one thread, and read the arguments first.
 */
export function spillView(): DataView<ArrayBuffer> {
  return (spill ??= new NativeBlock(SPILL.size, LASTING)).view as DataView<ArrayBuffer>;
}

/**
 * Takes the functions of the core image, later those of another image. The rest
 * of the other kind stays unused, which costs a few hundred bytes.
 */
function grow(both = false): boolean {
  const core = coreImage(), isFirst = callback === undefined;
  const image = isFirst ? core?.image : core && loadPrebuilt(PREBUILT!.POOL);
  if (!image) return false;
  const { slots } = isFirst ? core! : PREBUILT!.POOL, view = spillView();
  if (isFirst) closeAtLeave(core!);
  callback ??= new Deno.UnsafeCallback({ parameters: [], result: "void" }, () => enterThunk(view));
  image.data.setBigUint64(slots.spill, spill!.address, true);
  image.data.setBigUint64(slots.callback, Deno.UnsafePointer.value(callback.pointer), true);
  image.data.setBigUint64(slots.gateAddress, prepareGate(view, spill!.address), true);
  if (both || thunks.isEmpty) thunks.refill(image, "thunks", slots.thunks);
  if (both || lookups.isEmpty) lookups.refill(image, "lookups", slots.lookups);
  return true;
}

/**
 * Has an isolate's callbacks closed when Deno takes leave of the isolate. Deno
 * drops what an isolate has opened, oldest first: its callbacks, and then
 * libraries whose last functions may call them. So this function must be called
 * before a callback is made: it opens an image that only Deno holds, and the
 * linker calls `takeLeave` when it unloads the image. The thread ends later.
 */
function closeAtLeave({ image }: Core): void {
  const last = loadPrebuilt(PREBUILT!.LAST);
  if (!last) return;
  last.data.setBigUint64(PREBUILT!.LAST.slots.target, image.address("takeLeave"), true);
  Deno.dlopen(last.path, {});
  last.unload(); // Deno holds it still
}
