import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { type FileProcess, startFile } from "./file_process.ts";
import type { Outcome } from "./outcome.ts";
import type { Task } from "./task.ts";
import { IN_TEST, readWhere } from "./where.ts";

/** The end of a process with a test. */
export interface Ending {
  /** The outcome that the process wrote; `undefined` if it wrote none. */
  readonly outcome?: Outcome;
  /** Why there is no outcome, and what the process did last if that is known. */
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
export interface Limits {
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
export async function supervise(
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
  /** Why the process was killed; `undefined` if it was not. */
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
