import { arena } from "./arena.ts";
import { peek64 } from "./machine.ts";

/** One 64-bit value, seen in halves. Two numbers make no garbage; a bigint is an object. */
const long = new BigUint64Array(1), halves = new Uint32Array(long.buffer);

/** Returns the arena offset of the eight bytes at an address; -1 if they are not in the arena. */
function placeOf(address: bigint): number {
  const { low, high, size } = arena();
  long[0] = address;
  const at = (halves[0] - low) >>> 0;
  return halves[1] === high && at <= size - 8 ? at : -1;
}

/** Returns the u64 at an address. In the arena, which has most outputs of a command, no native call is needed. */
export function longAt(address: bigint): bigint {
  const at = placeOf(address);
  return at < 0 ? peek64(address) : arena().view.getBigUint64(at, true);
}

/** Returns the u64 at an index of an array. */
export function longIn(array: bigint, index: number): bigint {
  return longAt(index === 0 ? array : array + BigInt(8 * index));
}

/** A list of 64-bit values that can be read from memory and compared without making a bigint of each. */
export class LongList {
  #longs = new BigUint64Array(1);
  #halves = new Uint32Array(this.#longs.buffer);

  /** The halves of the values, low halves first. */
  get halves(): Uint32Array {
    return this.#halves;
  }

  /** Makes room for so many values. The earlier contents may be lost. */
  reserve(length: number): void {
    if (length <= this.#longs.length) return;
    this.#longs = new BigUint64Array(length);
    this.#halves = new Uint32Array(this.#longs.buffer);
  }

  /** The value at an index. */
  get(index: number): bigint {
    return this.#longs[index];
  }

  /** Sets the value at an index. */
  set(index: number, value: bigint): void {
    this.#longs[index] = value;
  }

  /** Sets the value at an index to the u64 at an address. */
  read(index: number, address: bigint): void {
    const at = placeOf(address);
    if (at < 0) return this.set(index, peek64(address));
    const { view } = arena();
    this.#halves[2 * index] = view.getUint32(at, true);
    this.#halves[2 * index + 1] = view.getUint32(at + 4, true);
  }

  /** Whether the value at an index is that of another list. */
  equals({ halves }: LongList, index: number): boolean {
    return this.#halves[2 * index] === halves[2 * index] && this.#halves[2 * index + 1] === halves[2 * index + 1];
  }

  /** Whether the value at an index is 0. */
  isZero(index: number): boolean {
    return (this.#halves[2 * index] | this.#halves[2 * index + 1]) === 0;
  }
}

/** Slots of a new set; a power of two. */
const FIRST = 64;

/**
 * A set of 64-bit values other than 0, such as handles and addresses. A `Set`
 * of bigints takes ten times as long to add and delete one, and a hundred times
 * if the set is large. The values lie in one typed array, each at the first
 * free slot from the slot of its hash on. No object is made for a value.
 */
export class LongSet {
  #words = new Uint32Array(2 * FIRST);
  #mask = FIRST - 1;
  #size = 0;
  #removals = 0;
  /** The value that a search is looking for. */
  readonly #value = new LongList();
  /** The removals that a value survives, for values that were added again. There are hardly any. */
  #again: Map<bigint, number> | undefined;

  /** The number of removals so far: of one value, or of all. */
  get removals(): number {
    return this.#removals;
  }

  /** The number of values in the set. */
  get size(): number {
    return this.#size;
  }

  /** Whether a value is in the set. */
  has(value: bigint): boolean {
    this.#value.set(0, value);
    return this.hasFrom(this.#value, 0);
  }

  /** Whether the value at an index of a list is in the set. */
  hasFrom({ halves }: LongList, index: number): boolean {
    const slot = this.#find(halves[2 * index], halves[2 * index + 1]);
    return (this.#words[slot] | this.#words[slot + 1]) !== 0;
  }

  /** Adds a value; 0n is ignored. */
  add(value: bigint): void {
    this.#value.set(0, value);
    this.addFrom(this.#value, 0);
  }

  /** Adds the value at an index of a list. */
  addFrom({ halves }: LongList, index: number): void {
    const low = halves[2 * index], high = halves[2 * index + 1], slot = this.#find(low, high), words = this.#words;
    if ((low | high) === 0 || (words[slot] | words[slot + 1]) !== 0) return;
    words[slot] = low;
    words[slot + 1] = high;
    if (2 * ++this.#size > this.#mask) this.#resize(2 * (this.#mask + 1));
  }

  /** As {@linkcode LongSet.addFrom}; a value that is in the set stays there for one removal more. */
  addAgainFrom(list: LongList, index: number): void {
    const size = this.#size;
    this.addFrom(list, index);
    if (size !== this.#size || list.isZero(index)) return;
    const value = list.get(index), again = this.#again ??= new Map();
    again.set(value, (again.get(value) ?? 0) + 1);
  }

  /** Removes a value, if it is in the set and was not added again. */
  delete(value: bigint): void {
    if (this.#again !== undefined && this.#survives(value)) return;
    this.#value.set(0, value);
    const { halves } = this.#value, slot = this.#find(halves[0], halves[1]), words = this.#words;
    if ((words[slot] | words[slot + 1]) === 0) return;
    this.#removals++;
    this.#close(slot >> 1);
    if (8 * --this.#size < this.#mask && this.#mask >= FIRST) this.#resize((this.#mask + 1) / 2);
  }

  #survives(value: bigint): boolean {
    const left = this.#again!.get(value);
    if (left === undefined) return false;
    if (left > 1) this.#again!.set(value, left - 1);
    else this.#again!.delete(value);
    return true;
  }

  /** Removes all values. */
  clear(): void {
    this.#again = undefined;
    this.#words = new Uint32Array(2 * FIRST);
    this.#mask = FIRST - 1;
    this.#size = 0;
    this.#removals++;
  }

  /** Returns the place in the array where a value is, or would be. */
  #find(low: number, high: number): number {
    const words = this.#words, mask = this.#mask;
    for (let slot = home(low, high, mask);; slot = slot + 1 & mask) {
      const a = words[2 * slot], b = words[2 * slot + 1];
      if (a === low && b === high || (a | b) === 0) return 2 * slot;
    }
  }

  /** Empties a slot, and moves up later values that a search would no longer find. */
  #close(slot: number): void {
    const words = this.#words, mask = this.#mask;
    let gap = slot;
    for (let next = slot + 1 & mask;; next = next + 1 & mask) {
      const low = words[2 * next], high = words[2 * next + 1];
      if ((low | high) === 0) break;
      if ((next - home(low, high, mask) & mask) < (next - gap & mask)) continue;
      words[2 * gap] = low;
      words[2 * gap + 1] = high;
      gap = next;
    }
    words[2 * gap] = words[2 * gap + 1] = 0;
  }

  #resize(slots: number): void {
    const old = this.#words, words = new Uint32Array(2 * slots), mask = slots - 1;
    for (let at = 0; at < old.length; at += 2) {
      const low = old[at], high = old[at + 1];
      if ((low | high) === 0) continue;
      let slot = home(low, high, mask);
      while ((words[2 * slot] | words[2 * slot + 1]) !== 0) slot = slot + 1 & mask;
      words[2 * slot] = low;
      words[2 * slot + 1] = high;
    }
    this.#words = words;
    this.#mask = mask;
  }
}

/**
 * Returns the slot at which the search for a value begins. Multiplying spreads
 * addresses, which differ only in their middle bits.
 */
function home(low: number, high: number, mask: number): number {
  const spread = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return (spread ^ spread >>> 15) & mask;
}
