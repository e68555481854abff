import type { RecordedBytes, RecordedLine } from "../record/line.ts";

/** The size of data: bytes, and bytes that are not zero. */
export interface Weight {
  readonly bytes: number;
  readonly set: number;
}

/**
 * The size of a recording: lines, then bytes of data, then values, then values
 * and bytes that are not zero, then the sum of all numbers, rounded up. The
 * first that differs decides. All are whole and none is negative, so that no
 * recording can become smaller for ever.
 */
export type Measure = readonly [lines: number, bytes: number, values: number, set: number, sum: bigint];

/** Whole numbers of 64 bits are text in a recording. */
const WHOLE = /^-?\d+$/;

/** Measures a recording. */
export function measureOf(lines: readonly RecordedLine[], weigh: (content: RecordedBytes) => Weight): Measure {
  const total = { bytes: 0, values: 0, set: 0, sum: 0n };
  const add = (value: unknown): void => {
    total.values++;
    if (isBytes(value)) {
      const { bytes, set } = weigh(value);
      total.bytes += bytes;
      total.set += set;
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(add);
    else if (!isZero(value)) {
      total.set++;
      total.sum += sizeOf(value);
    }
  };
  for (const line of lines) add("command" in line ? line.args : line);
  return [lines.length, total.bytes, total.values, total.set, total.sum];
}

/** Whether the first measure is smaller than the second. */
export function isSmaller(one: Measure, other: Measure): boolean {
  const at = one.findIndex((each, index) => each !== other[index]);
  return at >= 0 && one[at] < other[at];
}

/** Whether a value stands for bytes. */
export function isBytes(value: unknown): value is RecordedBytes {
  if (typeof value !== "object" || value === null) return false;
  const { bytes, data } = value as { bytes?: unknown; data?: unknown };
  return ArrayBuffer.isView(value) || typeof bytes === "string" || typeof data === "string";
}

function isZero(value: unknown): boolean {
  return value === 0 || value === false || value === null || value === undefined || value === "0";
}

/** Returns the distance of a number from zero, the next larger whole number for a fraction. */
function sizeOf(value: unknown): bigint {
  if (typeof value === "number" && Number.isFinite(value)) return BigInt(Math.ceil(Math.abs(value)));
  const whole = typeof value === "string" && WHOLE.test(value) ? BigInt(value) : 0n;
  return whole < 0n ? -whole : whole;
}
