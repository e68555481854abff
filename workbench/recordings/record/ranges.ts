/** A range of bytes. */
export interface Range {
  /** Offset of the first byte. */
  readonly start: number;
  /** Offset behind the last byte. */
  readonly end: number;
}

/** Returns ranges in order, without overlaps: ranges that touch become one. */
export function union(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (range.start >= range.end) continue;
    if (last && range.start <= last.end) found[found.length - 1] = { ...last, end: Math.max(last.end, range.end) };
    else found.push({ start: range.start, end: range.end });
  }
  return found;
}

/** Returns the parts of ranges that others have, too. Both are in order and do not overlap. */
export function intersection(ranges: readonly Range[], others: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (let a = 0, b = 0; a < ranges.length && b < others.length;) {
    const start = Math.max(ranges[a].start, others[b].start), end = Math.min(ranges[a].end, others[b].end);
    if (start < end) found.push({ start, end });
    if (ranges[a].end < others[b].end) a++;
    else b++;
  }
  return found;
}

/** Returns a range without the parts that others have, which are in order. */
export function without({ start, end }: Range, others: readonly Range[]): Range[] {
  const left: Range[] = [];
  for (const other of others) {
    if (other.start > start) left.push({ start, end: Math.min(other.start, end) });
    start = Math.max(start, other.end);
    if (start >= end) return left;
  }
  return start < end ? [...left, { start, end }] : left;
}

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
