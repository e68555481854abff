import { arena } from "./arena.ts";
import { peek64 } from "./machine.ts";

/** One address or value, to be seen in halves: a bigint is an object that must be made, two numbers are not. */
const long = new BigUint64Array(1), halves = new Uint32Array(long.buffer);

/** Where in the arena the eight bytes at an address are; -1 for those elsewhere. */
function placeOf(address: bigint): number {
  const { low, high, size } = arena();
  long[0] = address;
  const at = (halves[0] - low) >>> 0;
  return halves[1] === high && at <= size - 8 ? at : -1;
}

/** The u64 at an address: no native call is needed for what lies in the arena, where most of a command's outputs do. */
export function longAt(address: bigint): bigint {
  const at = placeOf(address);
  return at < 0 ? peek64(address) : arena().view.getBigUint64(at, true);
}

/** The u64 at an index of an array. */
export function longIn(array: bigint, index: number): bigint {
  return longAt(index === 0 ? array : array + BigInt(8 * index));
}

/** A list of 64-bit values that can be read from memory and compared without a bigint being made of each. */
export class LongList {
  #longs = new BigUint64Array(1);
  #halves = new Uint32Array(this.#longs.buffer);

  /** The values' halves, low ones first. */
  get halves(): Uint32Array {
    return this.#halves;
  }

  /** Makes room for so many. What was there may be lost. */
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

  /** Whether the value at an index is 0. */
  isZero(index: number): boolean {
    return (this.#halves[2 * index] | this.#halves[2 * index + 1]) === 0;
  }
}
