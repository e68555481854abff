import { readFileStart } from "../../../ffi/file/file_descriptor.ts";
import { type FailedPicture, type GpuTestTimes, measuredText } from "./outcome.ts";

/** The outcome of a test on a driver. */
export type GpuTestStatus = "passed" | "failed" | "timed out" | "crashed" | "skipped";

/** The result of a test on a driver. */
export interface GpuTestResult {
  /** The address of the test's file. */
  readonly file: string;
  /** The test's name. */
  readonly test: string;
  /** The driver's name. */
  readonly driver: string;
  /** The outcome. */
  readonly status: GpuTestStatus;
  /** The device's name, if a device was opened. */
  readonly device?: string;
  /** The reason why the test did not pass. */
  readonly reason?: string;
  /** The place where a test timed out or crashed, such as `in vkQueueSubmit`. */
  readonly where?: string;
  /** The pictures of a comparison with a golden file that failed. */
  readonly picture?: FailedPicture;
  /** The times of the test. */
  readonly measured?: GpuTestTimes;
  /** For a failed test, the command that runs the test again. */
  readonly repro?: string;
  /** For a failed test, one file that runs the test again on another machine, if the file could be bundled. */
  readonly bundle?: string;
}

/**
 * Returns a table of tests and drivers as text, and below it why tests were skipped.
 *
 * @example Two tests on two drivers
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const measured = { gpu: 1.5, cpu: 2, wall: 3 };
 * const table = matrixText([
 *   { file: "file:///a.ts", test: "clears", driver: "lvp", status: "passed", measured },
 *   { file: "file:///a.ts", test: "clears", driver: "nvidia", status: "timed out" },
 * ]);
 * assertEquals(table, "        lvp     nvidia\nclears  1.5 ms  timed out");
 * ```
 */
export function matrixText(results: readonly GpuTestResult[]): string {
  const tests = [...new Set(results.map(({ test }) => test))];
  const drivers = [...new Set(results.map(({ driver }) => driver))];
  const cell = (test: string, driver: string) =>
    cellText(results.findLast((each) => each.test === test && each.driver === driver));
  const rows = [["", ...drivers], ...tests.map((test) => [test, ...drivers.map((driver) => cell(test, driver))])];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((text, column) => text.padEnd(widths[column])).join("  ").trimEnd());
  const skipped = results.filter(({ status }) => status === "skipped");
  return [...lines, ...skipped.map(({ test, driver, reason }) => `skipped: ${test} (${driver}): ${reason}`)].join("\n");
}

function cellText(result: GpuTestResult | undefined): string {
  if (!result) return "-";
  if (result.status !== "passed") return result.status;
  const { gpu, wall } = result.measured!;
  return `${Number((gpu ?? wall).toPrecision(2))} ms`;
}

/** A result in sentences, for the output of a test. */
export function resultText({ status, reason, device, measured, repro, bundle }: GpuTestResult): string {
  const facts = [device, measured && measuredText(measured)].filter(Boolean).join("; ");
  return [
    `${status}${facts && ` (${facts})`}`,
    reason,
    repro && `Run it again: ${repro}`,
    bundle && `Send it on: ${bundle}`,
  ]
    .filter(Boolean).join("\n");
}

/** The contents of the file of PUMICE_GPU_REPORT. */
export interface GpuTestReport {
  /**
   * The process that wrote the report. All files of one `deno test` share a report; a report of another run is
   * replaced.
   */
  readonly run: string;
  /** The outcomes, in the order of files and tests. */
  readonly results: readonly GpuTestResult[];
}

/** Adds the outcomes of a file to the report, and replaces the file's earlier outcomes. */
export function addToReport(path: string, file: string, results: readonly GpuTestResult[]): void {
  using report = Deno.openSync(path, { read: true, write: true, create: true });
  report.lockSync(true); // files may be tested at the same time
  const run = thisRun(), there = readReport(path);
  const others = there?.run === run ? there.results.filter((each) => each.file !== file) : [];
  const whole: GpuTestReport = { run, results: [...others, ...results].sort(byFile) };
  report.truncateSync(0);
  report.writeSync(new TextEncoder().encode(`${JSON.stringify(whole, null, 2)}\n`));
}

function byFile(one: GpuTestResult, other: GpuTestResult): number {
  return one.file < other.file ? -1 : Number(one.file > other.file);
}

function readReport(path: string): GpuTestReport | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return undefined; // an empty file, or no report
  }
}

/** Identifies this process by its number and its start, because numbers are reused. */
function thisRun(): string {
  const [, behindName] = /.*\)\s(.*)/s.exec(readFileStart("/proc/self/stat")) ?? [];
  return `${Deno.pid} ${behindName?.split(" ")[19] ?? ""}`.trim();
}
