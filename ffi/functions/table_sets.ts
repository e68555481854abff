import { TABLE_SETS, type TableSet } from "../emit/layout.ts";
import { type Core, coreImage } from "../image/core.ts";
import type { NativeFunction } from "../image/image.ts";
import { peek64, publish64 } from "../machine.ts";
import { parseSignature } from "../signature.ts";
import { bindByTable } from "../stubs.ts";
import { createThunk, type Thunk } from "../thunk/thunk.ts";

/** A word with which no object begins: the word is not an address, and nobody else knows the random number. */
const NO_TABLE = crypto.getRandomValues(new BigUint64Array(1))[0] | 1n << 63n;
const PLACES = 1 << TABLE_SETS.hashBits, POINTER = 8;

/**
 * The dispatch tables with which handles may begin. Machine code uses the sets
 * to tell handles from other addresses; see {@linkcode TABLE_SETS}.
 */
class TableSets {
  readonly #view: DataView;
  readonly #address: bigint;
  /** The words of the places, as numbers: addresses in user space are below 2 ** 53, and bigints would be slower. */
  readonly #words = { instance: new Float64Array(PLACES), device: new Float64Array(PLACES) };

  /** Makes empty sets in zeroed memory. */
  constructor({ tables, tablesAddress }: Core) {
    this.#view = tables;
    this.#address = tablesAddress;
    for (const set of ["instance", "device"] as const) this.#write(set, 0, freeAt(0));
  }

  /** Adds an address. One place always stays free, because a search ends at a free place. */
  put(set: TableSet, address: number): void {
    let place = hash(address);
    for (let left = PLACES; left > 0 && !isOpen(this.#read(set, place)); left--) place = next(place);
    const found = this.#read(set, place);
    if (!isOpen(found) || (isFree(found) && this.#isLastFree(set, place))) {
      this.#view.setUint32(TABLE_SETS.full, 1, true);
    } else this.#write(set, place, address);
  }

  /** Removes an address, if it is in the set. */
  remove(set: TableSet, address: number): void {
    let place = hash(address);
    while (this.#read(set, place) !== address) {
      if (isFree(this.#read(set, place))) return;
      place = next(place);
    }
    const isEnd = isFree(this.#read(set, next(place)));
    this.#write(set, place, isEnd ? freeAt(place) : goneAt(place));
    if (isEnd) this.#freeBefore(set, place);
  }

  /** Whether a table is in the set. After a set was full once, the answer is `true` for every address. */
  has(set: TableSet, address: number): boolean {
    let place = hash(address);
    while (this.#read(set, place) !== address) {
      if (isFree(this.#read(set, place))) return this.#view.getUint32(TABLE_SETS.full, true) !== 0;
      place = next(place);
    }
    return !isOpen(address);
  }

  /** Frees the places before a free one whose entries are gone, so that no search has to pass over them. */
  #freeBefore(set: TableSet, end: number): void {
    for (let place = before(end); this.#read(set, place) === goneAt(place); place = before(place)) {
      this.#write(set, place, freeAt(place));
    }
  }

  #isLastFree(set: TableSet, place: number): boolean {
    for (let other = next(place); other !== place; other = next(other)) {
      if (isFree(this.#read(set, other))) return false;
    }
    return true;
  }

  #read(set: TableSet, place: number): number {
    return this.#words[set][place];
  }

  /** Writes the 8 bytes at once. A view may write byte by byte, and half of an address could look like a free place. */
  #write(set: TableSet, place: number, value: number): void {
    this.#words[set][place] = value;
    publish64(this.#address + BigInt(TABLE_SETS[set] + POINTER * place), BigInt(value));
  }
}

/** The same for TypeScript alone, where emitted code cannot be used. */
class NotedTables {
  readonly #tables = { instance: new Set<number>(), device: new Set<number>() };

  /** Adds an address. */
  put(set: TableSet, address: number): void {
    this.#tables[set].add(address);
  }

  /** Removes an address, if it is in the set. */
  remove(set: TableSet, address: number): void {
    this.#tables[set].delete(address);
  }

  /** Whether a table is in the set. */
  has(set: TableSet, address: number): boolean {
    return this.#tables[set].has(address);
  }
}

let sets: TableSets | NotedTables | undefined;

/**
 * Notes a dispatch table before any handle begins with its address, a multiple
 * of 4096. Safe while native code is searching.
 */
export function enterTable(level: "instance" | "device", address: bigint): void {
  const core = coreImage();
  sets ??= core ? new TableSets(core) : new NotedTables();
  sets.put(level, Number(address));
}

/** Forgets a table. An object that still begins with its address is no longer a handle. */
export function leaveTable(level: "instance" | "device", address: bigint): void {
  const core = coreImage();
  sets?.remove(level, Number(address));
  if (core) forgetLast(core, level);
}

/** Whether the first word of an object is the address of a noted table. */
export function isTable(level: TableSet, word: bigint): boolean {
  return sets?.has(level, Number(word)) ?? false;
}

/** Makes checked stubs search for the next table that they meet, even if it is the table they found last. */
function forgetLast({ image, slots }: Core, level: TableSet): void {
  image.data.setBigUint64(slots[level], NO_TABLE, true);
}

/** Called with a first argument that is not a handle, and with the command that was to be called. */
export type Refusal = (argument: bigint, set: TableSet, tableOffset: number) => void;

const checked = new Map<string, NativeFunction>();
let refusing: Thunk | undefined;

/**
 * Like {@linkcode bindByTable}, but without arena offsets, and with a check of
 * the first argument. If the object does not begin with a table of the kind,
 * the command is not called: `refuse` is called and the result is 0. The
 * `refuse` of the first call serves all stubs.
 */
export function bindChecked(signature: string, set: TableSet, refuse: Refusal): NativeFunction {
  const key = `${set} ${signature}`, known = checked.get(key);
  if (known) return known;
  const bound = bindInCore(signature, set, refuse) ?? bindHere(signature, set, refuse);
  checked.set(key, bound);
  return bound;
}

/** Checks in TypeScript, where machine code cannot be used. */
function bindHere(signature: string, set: TableSet, refuse: Refusal): NativeFunction {
  const call = bindByTable(signature);
  return (...args) => {
    const object: bigint = args[0];
    if (object !== 0n && isTable(set, peek64(object))) return call(...args);
    refuse(object, set, args.at(-1));
    return 0;
  };
}

function bindInCore(signature: string, set: TableSet, refuse: Refusal): NativeFunction | undefined {
  const core = coreImage(), name = `${set}_${parseSignature(signature).shape}`;
  if (!core?.image.has(name)) return;
  if (!refusing) {
    refusing = createThunk("q:qww", (argument: bigint, offset: number, place: number) => {
      refuse(argument, place === TABLE_SETS.instance ? "instance" : "device", offset);
      return 0n;
    });
    core.image.data.setBigUint64(core.slots.sets, core.tablesAddress, true);
    core.image.data.setBigUint64(core.slots.refuse, refusing.address, true);
    for (const level of ["instance", "device"] as const) forgetLast(core, level);
  }
  return core.image.bind(name, signature, "u32");
}

function hash(address: number): number {
  return Math.floor(address / 2 ** TABLE_SETS.hashShift) % PLACES;
}

function next(place: number): number {
  return place + 1 & PLACES - 1;
}

function before(place: number): number {
  return place + PLACES - 1 & PLACES - 1;
}

function isFree(value: number): boolean {
  return value <= TABLE_SETS.freeAt0;
}

/** Whether a place with this word may take a table. */
function isOpen(value: number): boolean {
  return value <= TABLE_SETS.goneAt2;
}

function freeAt(place: number): number {
  return place === 0 ? TABLE_SETS.freeAt0 : TABLE_SETS.free;
}

function goneAt(place: number): number {
  return place === 2 ? TABLE_SETS.goneAt2 : TABLE_SETS.gone;
}
