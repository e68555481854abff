import type { RequirementStatus, Verdict } from "../../loader/requirements/verdict.ts";

/** What `check` can look at; the last is a device tree. */
export type PartName = "vulkan" | "egl" | "composer" | "tree";

/** What came of a part. */
export interface PartReport {
  /** Which. */
  readonly part: PartName;
  /** What was looked at, for people: the driver's library and its device. */
  readonly subject: string;
  /** Why it was not run, as a sentence; absent when it was. */
  readonly notRun?: string;
  /** Whether it was asked for by name, so that not running is a failure. */
  readonly isNamed: boolean;
  /** Each check. */
  readonly verdicts: readonly Verdict[];
}

/** How many verdicts there are of each status. */
export type CheckCounts = Readonly<Record<RequirementStatus, number>>;

/** What `check --json` prints. Members are only ever added. */
export interface CheckReport {
  /** The Android release whose rules were tried. */
  readonly release: number;
  /** Whether nothing failed, and everything that was named was run. */
  readonly good: boolean;
  /** Of all parts together. */
  readonly counts: CheckCounts;
  /** What was looked at, in order. */
  readonly parts: readonly PartReport[];
  /** The files that `--emit` wrote. */
  readonly written?: readonly string[];
}

/** Joins parts. What was run by nobody's wish may be missing, but something must have been run. */
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

/** CheckCounts verdicts by status. */
export function countsOf(verdicts: readonly Verdict[]): CheckCounts {
  const of = (wanted: RequirementStatus) => verdicts.filter(({ status }) => status === wanted).length;
  return { pass: of("pass"), fail: of("fail"), report: of("report"), "not-applicable": of("not-applicable") };
}

/** The names of parts for people. */
export const TITLES: Readonly<Record<PartName, string>> = {
  vulkan: "Vulkan",
  egl: "EGL and OpenGL ES",
  composer: "Hardware Composer",
  tree: "Device tree",
};
