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
