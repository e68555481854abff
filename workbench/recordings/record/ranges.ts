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
