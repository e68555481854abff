import type { Range } from "./ranges.ts";

/** Bytes of an address. Addresses begin at multiples of half of them. */
const SIZE = 8, STEP = 4;

/** The addresses that the program knows. */
export class AddressRanges {
  readonly #ranges: { readonly start: bigint; readonly end: bigint }[] = [];

  /** Notes the addresses of an object. The program may write them when the object is gone, too. */
  add(start: bigint, size: bigint): void {
    const end = start + size;
    if (!this.#ranges.some((each) => each.start === start && each.end === end)) this.#ranges.push({ start, end });
  }

  /**
   * Returns a range of changed bytes with the rest of each address that begins before the range or ends behind it, as
   * far as `limit` goes. A replay exchanges whole addresses: half of a recorded one would spoil the one in its memory.
   * `words` returns the eight bytes at an offset as they are and as they were.
   */
  around({ start, end }: Range, limit: Range, words: (at: number) => readonly bigint[]): Range {
    if (this.#ranges.length === 0) return { start, end };
    const isAddress = (at: number) =>
      at >= limit.start && at + SIZE <= limit.end && words(at).some((word) => this.#has(word));
    let first = floor(start), last = floor(end + STEP - 1);
    while (isAddress(first - STEP)) first -= STEP;
    while (isAddress(last - STEP)) last += STEP;
    return { start: Math.max(first, limit.start), end: Math.min(last, limit.end) };
  }

  #has(word: bigint): boolean {
    return this.#ranges.some(({ start, end }) => word >= start && word < end);
  }
}

function floor(at: number): number {
  return Math.floor(at / STEP) * STEP;
}
