import { readFileStart } from "../../../ffi/file/file_descriptor.ts";
import type { GpuTestResult } from "./report.ts";

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
