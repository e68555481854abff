import { decodeDeqpLevel, type DeqpLevel, encodeDeqpLevel } from "../../../loader/requirements/deqp_level.ts";

/** The subject of a level: `android.software.vulkan.deqp.level` or `android.software.opengles.deqp.level`. */
export type DeqpApi = "vulkan" | "opengles";

/** The lists of Android's CTS, by the beginnings of their names: the years they are from, each from March 1. */
const LISTS: Readonly<Record<DeqpApi, Readonly<Record<string, readonly number[]>>>> = {
  vulkan: { vk: [2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026] },
  opengles: {
    egl: [2020, 2022, 2023, 2024, 2025, 2026],
    gles2: [2020, 2021, 2022, 2023, 2024, 2025, 2026],
    gles3: [2020, 2021, 2022, 2023, 2024, 2025, 2026],
    gles31: [2020, 2021, 2022, 2023, 2024, 2025, 2026],
  },
};

/**
 * Returns the lists of cases that a claimed level must pass: those of its own
 * year and of all years before. Later lists are not run.
 *
 * @throws {TypeError} if the level is not a date.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(obligedLists("vulkan", "2020-03-01"), ["vk-main-2019-03-01", "vk-main-2020-03-01"]);
 * ```
 */
export function obligedLists(api: DeqpApi, level: DeqpLevel): string[] {
  const claimed = encodeDeqpLevel(level);
  return Object.entries(LISTS[api]).flatMap(([name, years]) =>
    years.map((year) => `${year}-03-01`).filter((date) => encodeDeqpLevel(date) <= claimed)
      .map((date) => `${name}-main-${date}`)
  );
}

/**
 * Whether a list of cases is run on a device that claims a level. A list without a date always is.
 *
 * @example
 * ```ts
 * import { isObliged } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const lists = ["vk-main-2022-03-01.txt", "vk-main-2024-03-01.txt", "vk-default.txt"];
 * assertEquals(lists.map((list) => isObliged(list, "2023-03-01")), [true, false, true]);
 * ```
 */
export function isObliged(list: string, level: DeqpLevel | undefined): boolean {
  const date = /(\d{4}-\d\d-\d\d)(?:-part\d+)?(?:\.txt)?$/.exec(list)?.[1];
  return date === undefined || level === undefined || encodeDeqpLevel(date) <= encodeDeqpLevel(level);
}

/** Formats a level with its number, such as `2022-03-01 (132514561)`. */
export function levelText(level: DeqpLevel): string {
  const number = encodeDeqpLevel(level);
  return `${decodeDeqpLevel(number)} (${number})`;
}
