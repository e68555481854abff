import { stripVTControlCharacters } from "node:util";
import type { GpuTestOutline, NamedDriver } from "../testing/options.ts";
import type { GpuTestResult, GpuTestStatus } from "../testing/report.ts";
import { runOn } from "../testing/run_on.ts";
import type { DeqpStatus } from "../deqp/status.ts";
import type { RunTask, RunVerdict } from "../deqp/run_tasks.ts";

/** The work of a task: a test on a driver. */
export interface GpuTestWork {
  /** The names of the file, the test and the driver, as reports have them. */
  readonly place: GpuTestPlace;
  /** The test; absent if the file could not be loaded. */
  readonly test?: GpuTestOutline;
  /** The driver; absent with the test. */
  readonly driver?: NamedDriver;
  /** Whether the driver is the first of the test's drivers. */
  readonly leads?: boolean;
  /** Milliseconds for a test without a timeout of its own. */
  readonly timeout?: number;
  /** The folder for pictures and scripts of a failure. Files have one each, because tests of two files may share names. */
  readonly output?: string;
  /** A result that was known before. */
  readonly known?: { readonly status: DeqpStatus; readonly message: string };
  /** For another machine, the hash of the bundle with the file. */
  readonly bundle?: string;
}

/** The place of a test: its file, and the driver that the test runs on. */
export interface GpuTestPlace {
  /** The path of the file as the command line has it. */
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line?: number;
  /** The test's name; empty for the file as a whole. */
  readonly test: string;
  /** The driver's name; empty for the file as a whole. */
  readonly driver: string;
}

/** The details of a test in reports, besides its status. */
export interface GpuTestDetails {
  /** The place of the test. */
  readonly place: GpuTestPlace;
  /** The result; absent if the test did not run. */
  readonly result?: GpuTestResult;
  /** The limits of the test's times. */
  readonly budget?: GpuTestOutline["options"]["budget"];
  /** The output of the test. */
  readonly output?: string;
}

const STATUSES: Readonly<Record<GpuTestStatus, DeqpStatus>> = {
  passed: "Pass",
  failed: "Fail",
  "timed out": "Timeout",
  crashed: "Crash",
  skipped: "Skip",
};

/** A task of a run of driver tests. */
export type GpuTestTask = RunTask<GpuTestWork, GpuTestDetails>;

/** The name of a result: `FILE / TEST / DRIVER`. */
export function keyOf({ file, test, driver }: GpuTestPlace): string {
  return [file, test, driver].filter(Boolean).join(" / ");
}

/**
 * Runs the test of a task in a process of its own. Returns `undefined` after the signal.
 *
 * @param leavesScripts Whether a failure leaves the scripts that run it again.
 */
export async function executeGpuTest(
  { key: name, work }: RunTask<GpuTestWork>,
  signal?: AbortSignal,
  leavesScripts = true,
): Promise<RunVerdict<GpuTestDetails> | undefined> {
  const { place, test, driver, leads = true, timeout, output: folder, known } = work;
  if (known || !test || !driver) {
    return { name, status: "InternalError", message: "nothing to run", ...known, details: { place } };
  }
  const began = performance.now();
  const how = { driver, leads, timeout, signal, output: folder, leavesScripts };
  const ran = await runOn(test, how).catch((error: Error) => error);
  if (ran instanceof Error) return notRun(name, place, ran);
  const { result, output } = ran;
  if (!result) return undefined;
  const { budget } = test.options, seconds = Math.round(performance.now() - began) / 1000;
  const printed = stripVTControlCharacters(output), message = stripVTControlCharacters(result.reason ?? "");
  const details = { place, result, ...budget && { budget }, ...printed !== "" && { output: printed } };
  return { name, status: STATUSES[result.status], message, seconds, details };
}

/** The verdict about a test that failed for a reason outside of it. */
export function notRun(name: string, place: GpuTestPlace, { message }: Error): RunVerdict<GpuTestDetails> {
  return { name, status: "InternalError", message: `the test cannot be run: ${message}`, details: { place } };
}
