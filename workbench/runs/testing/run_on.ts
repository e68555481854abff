import type { GpuTestOptions, GpuTestOutline, NamedDriver } from "./options.ts";
import type { GpuTestResult } from "./report.ts";
import { removeRepro, writeRepro } from "./repro.ts";
import { type Ending, supervise } from "./supervise.ts";

/** The default timeout of a test, in milliseconds. */
const TIMEOUT = 60_000;

/** How a test runs on a driver. */
export interface RunningOn {
  /** The driver. */
  readonly driver: NamedDriver;
  /** Whether the driver is the first of the test's drivers. */
  readonly leads: boolean;
  /** The timeout in milliseconds, where the test has none. Default 60000. */
  readonly timeout?: number;
  /** The folder for the files of a failure, where the test has none. Default: as `gpuTest` has it. */
  readonly output?: string;
  /** Whether a failure leaves the scripts that run it again. Default true. */
  readonly leavesScripts?: boolean;
  /** Ends the process; then there is no result. */
  readonly signal?: AbortSignal;
}

/** The outcome of a test on a driver. */
export interface RanOn {
  /** The result; undefined after the signal. */
  readonly result: GpuTestResult | undefined;
  /** The output of the process. */
  readonly output: string;
}

/** Runs a test on a driver in a process of its own. A failure leaves the scripts that run it again. */
export async function runOn(test: GpuTestOutline, how: RunningOn): Promise<RanOn> {
  const { driver, leads, signal, output, leavesScripts = true } = how,
    { timeout = how.timeout ?? TIMEOUT }: GpuTestOptions = test.options;
  const ending = await supervise(test.file, { name: test.name, driver, leads }, { timeout, signal, output });
  if (signal?.aborted) return { result: undefined, output: ending.output };
  const result = resultOf(test, driver, ending);
  return { result: leavesScripts ? await withScripts(test, driver, result, output) : result, output: ending.output };
}

function resultOf(test: GpuTestOutline, driver: NamedDriver, { outcome, died }: Ending): GpuTestResult {
  const base = { file: test.file, test: test.name, driver: driver.name };
  return outcome
    ? { ...base, ...outcome }
    : { ...base, status: died!.how, reason: died!.reason, ...died!.where ? { where: died!.where } : {} };
}

/**
 * Writes the scripts that run a failed test again, and adds them to the result. Removes the scripts of an earlier
 * failure for a test that has not failed.
 *
 * @param output The folder for the scripts, where the test has none.
 */
export async function withScripts(
  test: GpuTestOutline,
  driver: NamedDriver,
  result: GpuTestResult,
  output?: string,
): Promise<GpuTestResult> {
  const own = output === undefined ? test : { ...test, options: { output, ...test.options } };
  if (result.status === "passed" || result.status === "skipped") {
    removeRepro(own, driver);
    return result;
  }
  const { command: repro, bundle } = await writeRepro(own, driver, result);
  return { ...result, repro, bundle };
}
