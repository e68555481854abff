import type { VulkanOptions } from "../../loader/mod.ts";
import type { RequirementStatus, Verdict } from "../../loader/requirements/verdict.ts";

/** The parts to check, with the options of the check. */
export interface CheckRequest {
  /** The options of the Vulkan loader. */
  readonly options: VulkanOptions;
  /** The Android release that the device runs, 7 to 17. */
  readonly release: number;
  /** The Android release that the device launched with, if another. */
  readonly launch?: number;
  /** Whether the device is low on memory. */
  readonly lowMemory: boolean;
  /** The parts to check. */
  readonly only: ReadonlySet<PartName>;
  /** Whether `--only` chose them. */
  readonly isChosen: boolean;
  /** The EGL driver, if one is named. */
  readonly eglDriver?: string;
  /** The number of contexts to try. */
  readonly contexts?: number;
  /** Milliseconds that a Vulkan driver may take for a wait. */
  readonly timeout?: number;
  /** The composer: a library, a module's name or a model of planes. */
  readonly composer?: string;
  /** Profiles besides Android's: paths. */
  readonly profiles: readonly string[];
  /** The claimed level of dEQP's Vulkan tests, and of those of OpenGL ES. */
  readonly deqpLevel?: string;
  /** The same for OpenGL ES. */
  readonly glesDeqpLevel?: string;
  /** The folder for a device tree's files. */
  readonly emit?: string;
  /** The device tree that is compared. */
  readonly verify?: string;
}

/** The parts that `check` can examine; the last one is a device tree. */
export type PartName = "vulkan" | "egl" | "composer" | "tree";

/** The result of one part. */
export interface PartReport {
  /** The part. */
  readonly part: PartName;
  /** The subject of the check, for people: the driver's library and its device. */
  readonly subject: string;
  /** The reason why the part was not checked, as a sentence; absent if the part was checked. */
  readonly notRun?: string;
  /** Whether the user named this part; a named part that was not checked is a failure. */
  readonly isNamed: boolean;
  /** The verdicts, one for each rule. */
  readonly verdicts: readonly Verdict[];
}

/** The number of verdicts of each status. */
export type CheckCounts = Readonly<Record<RequirementStatus, number>>;

/** The output of `check --json`. Members are only ever added. */
export interface CheckReport {
  /** The Android release whose rules were checked. */
  readonly release: number;
  /** Whether no rule failed, and every named part was checked. */
  readonly good: boolean;
  /** The number of verdicts, over all parts. */
  readonly counts: CheckCounts;
  /** The parts, in order. */
  readonly parts: readonly PartReport[];
  /** The files that `--emit` wrote. */
  readonly written?: readonly string[];
}

/** Joins parts. A part that the user did not name may be missing, but at least one part must have been checked. */
export function checkReport(
  release: number,
  parts: readonly PartReport[],
  written?: readonly string[],
): CheckReport {
  const counts = countsOf(parts.flatMap(({ verdicts }) => verdicts));
  const isRun = parts.some(({ notRun }) => notRun === undefined);
  const isMissing = parts.some(({ notRun, isNamed }) => notRun !== undefined && isNamed);
  return { release, good: isRun && !isMissing && counts.fail === 0, counts, parts, ...written ? { written } : {} };
}

/** The result in a few words, which follow the release. */
export function resultText({ good, counts, parts }: CheckReport): string {
  if (good) return "meets what was checked";
  if (parts.every(({ notRun }) => notRun !== undefined)) return "nothing was checked";
  return counts.fail > 0 ? "does not meet what was checked" : "what was named was not all checked";
}

/** CheckCounts verdicts by status. */
export function countsOf(verdicts: readonly Verdict[]): CheckCounts {
  const of = (wanted: RequirementStatus) => verdicts.filter(({ status }) => status === wanted).length;
  return { pass: of("pass"), fail: of("fail"), report: of("report"), "not-applicable": of("not-applicable") };
}

/** The verdicts in the words of outcomes. */
export const VERDICT_WORDS: Readonly<Record<RequirementStatus, string>> = {
  fail: "failed",
  report: "to note",
  pass: "passed",
  "not-applicable": "not applicable",
};

/** The names of parts for people. */
export const TITLES: Readonly<Record<PartName, string>> = {
  vulkan: "Vulkan",
  egl: "EGL and OpenGL ES",
  composer: "Hardware Composer",
  tree: "Device tree",
};
