import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { type FileProcess, startFile } from "./file_process.ts";
import type { GpuTestOptions, GpuTestOutline, NamedDriver } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import type { GpuTestResult } from "./report.ts";
import { removeRepro, writeRepro } from "./repro.ts";
import { IN_TEST, readWhere, type Task } from "./task.ts";

/** The default timeout of a test, in milliseconds. */
const TIMEOUT = 60_000;

/** The options for running a test on a driver. */
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

/** The end of a process with a test. */
interface Ending {
  /** The outcome that the process wrote; `undefined` if it wrote none. */
  readonly outcome?: Outcome;
  /** The reason why there is no outcome, and the last action of the process if that is known. */
  readonly died?: { readonly how: "timed out" | "crashed"; readonly reason: string; readonly where?: string };
  /** The output of the process. */
  readonly output: string;
}

const NOT_THERE = "its process ended without running it: in its own process, the file has to write down the same tests";
/** The time for the start of a process and for opening a driver, in milliseconds. */
const OPENING = 120_000;
/** The interval at which the supervisor checks whether the test has begun, in milliseconds. */
const LOOK = 50;

/** The limits of a process. */
interface Limits {
  /** Milliseconds of the test. */
  readonly timeout: number;
  /** Ends the process. */
  readonly signal?: AbortSignal;
  /** The folder for the files of a test that has no such option. Default: as for this process. */
  readonly output?: string;
}

/**
 * Runs a task in a process of its own and waits for its end. After the time limit of the test, the process is
 * killed, and so it is after the signal. A test that crashed between the commands that are always noted runs again with
 * all commands noted. Processes that the test has left behind are ended.
 */
async function supervise(
  file: string,
  task: Assignment,
  limits: Limits,
): Promise<Ending> {
  const ending = await runOnce(file, task, limits), { died } = ending;
  if (died?.how !== "crashed" || died.where !== IN_TEST || limits.signal?.aborted) return ending;
  const again = (await runOnce(file, { ...task, notesAll: true }, limits)).died;
  if (again?.how === "crashed") return { ...ending, died: again };
  return { ...ending, died: { ...died, reason: `${died.reason}; a second run did not crash` } };
}

/** A task without the members that belong to its process. */
type Assignment = Omit<Task, "result" | "where" | "parent">;

async function runOnce(file: string, task: Assignment, { timeout, signal, output }: Limits): Promise<Ending> {
  using folder = temporaryFolder("test");
  const result = `${folder.path}/result.json`, where = `${folder.path}/where`;
  const whole: Task = { ...task, result, where, parent: Deno.pid };
  const child = startFile(file, whole, output === undefined ? {} : { PUMICE_GPU_OUT: output });
  using watchdog = new Watchdog(child, where, timeout, signal);
  const [status, printed] = await Promise.all([child.ended, child.printed]);
  return { ...endingOf(status, whole, watchdog.reason), output: printed.join("") };
}

function endingOf(
  status: Deno.CommandStatus,
  { result, where }: Task,
  hung: { readonly reason: string; readonly where: string } | undefined,
): Omit<Ending, "output"> {
  if (hung) return { died: { how: "timed out", ...hung } };
  const outcome = readOutcome(result);
  if (outcome) return { outcome };
  if (status.success) return { died: { how: "crashed", reason: NOT_THERE } };
  const how = status.signal ?? `exit code ${status.code}`, { words } = readWhere(where);
  return { died: { how: "crashed", reason: `its process ended with ${how}; it was ${words}`, where: words } };
}

function readOutcome(path: string): Outcome | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return undefined;
  }
}

/** Kills a process whose test takes too long: a thread that waits in native code can be ended only with its process. */
class Watchdog implements Disposable {
  /** The reason for killing the process; `undefined` if it was not killed. */
  reason: { readonly reason: string; readonly where: string } | undefined;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #signal: AbortSignal | undefined;
  readonly #abort: () => void;
  #since = performance.now();
  #began = false;

  constructor(child: FileProcess, where: string, timeout: number, signal?: AbortSignal) {
    this.#timer = setInterval(() => this.#look(child, where, timeout), LOOK);
    this.#signal = signal;
    this.#abort = () => child.kill();
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
  }

  /** Stops watching a process that has ended. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  /** Kills the process after the time limit, which counts from the test's own beginning. */
  #look(child: FileProcess, where: string, timeout: number): void {
    const now = performance.now(), { begun, words } = readWhere(where);
    if (begun && !this.#began) [this.#began, this.#since] = [true, now];
    const limit = this.#began ? timeout : OPENING;
    if (now - this.#since <= limit || this.reason) return;
    this.reason = { reason: `it was ${words} after ${limit} ms, and its process was ended`, where: words };
    child.kill();
  }
}
