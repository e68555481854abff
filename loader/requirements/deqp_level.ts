/** A dEQP level: a date such as `"2024-03-01"`, or its number. */
export type DeqpLevel = string | number;

/** The requirement of a release for devices with Vulkan. */
export interface ReleaseLevel {
  /** Android's release. */
  readonly release: number;
  /** The lowest level, as a date. */
  readonly level: string;
}

/** The lowest levels of Android's releases. Each release requires the tests of the spring before. */
export const RELEASE_LEVELS: readonly ReleaseLevel[] = [
  { release: 10, level: "2019-03-01" },
  { release: 11, level: "2020-03-01" },
  { release: 12, level: "2021-03-01" },
  { release: 13, level: "2022-03-01" },
  { release: 14, level: "2023-03-01" },
  { release: 15, level: "2024-03-01" },
  { release: 16, level: "2025-03-01" },
  { release: 17, level: "2026-03-01" },
];

/** The release that introduced the feature which claims a level. */
export const DEQP_LEVEL_SINCE = 11;

/**
 * Returns the number of a date: the year in bits 31 to 16, the month in 15 to
 * 8, the day in 7 to 0. A number is returned unchanged.
 *
 * @throws {TypeError} if the level is not a date.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(encodeDeqpLevel("2022-03-01"), 0x07e60301);
 * assertEquals(decodeDeqpLevel(132514561), "2022-03-01");
 * ```
 */
export function encodeDeqpLevel(level: DeqpLevel): number {
  if (typeof level === "number") {
    decodeDeqpLevel(level);
    return level;
  }
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(level)?.slice(1).map(Number);
  if (!parts || !isDate(parts)) throw wrong(level);
  const [year, month, day] = parts;
  return year * 0x10000 + month * 0x100 + day;
}

/**
 * Returns the date of a number. Throws a `TypeError` if the number is no date's.
 *
 * @example
 * ```ts
 * import { decodeDeqpLevel } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(decodeDeqpLevel(0x07e80301), "2024-03-01");
 * ```
 */
export function decodeDeqpLevel(level: number): string {
  const parts = [Math.floor(level / 0x10000), level >>> 8 & 0xff, level & 0xff];
  if (!Number.isInteger(level) || !isDate(parts)) throw wrong(level);
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0")).join("-");
}

/** Returns the lowest level that a release requires; `undefined` before there were levels. */
export function leastDeqpLevel(release: number): number | undefined {
  const found = RELEASE_LEVELS.findLast((each) => each.release <= release);
  return found && encodeDeqpLevel(found.level);
}

function isDate([year, month, day]: readonly number[]): boolean {
  if (year < 2000 || year > 9999) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function wrong(level: DeqpLevel): TypeError {
  const found = typeof level === "number" ? `0x${level.toString(16)}` : `"${level}"`;
  return new TypeError(
    `Cannot read dEQP level ${found}: give a date such as "2024-03-01", or its number such as 0x7e80301`,
  );
}
