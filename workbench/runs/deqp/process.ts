import { chosenDrivers, driverChoice, type SingleDriver } from "../../../loader/driver/choice.ts";
import { resolve } from "node:path";
import type { VulkanOptions } from "../../../loader/mod.ts";
import type { DeqpOptions } from "./options.ts";
import { OutputReader } from "./output.ts";
import { parseQpa } from "./results_file.ts";
import type { DeqpCase } from "./status.ts";

/** The result of a process. */
export interface ProcessOutcome {
  /** The cases that have a result, among them the case that was running at the end. */
  readonly settled: ReadonlySet<string>;
  /** Whether it ended by itself and without an error. */
  readonly isDone: boolean;
  /** The end of the process, for messages. */
  readonly end: string;
}

/** The events of a process. */
export interface ProcessEvents {
  /** Ends the process. */
  readonly signal: AbortSignal;
  /** Called when a case begins. */
  started(name: string): void;
  /** Called with each result as soon as it is there. */
  ended(result: DeqpCase): void;
}

type RunOptions = Omit<DeqpOptions, "caseList">;

/** The reasons for ending a process whose case is not to blame. */
const ABORTED = "aborted", LOST = "the device is lost";
const CASES = "{cases}", LOG = "{log}", TIMEOUT = 60_000, LAST_WORDS = 400;

/** Runs a process on cases, with files in a folder, until it ends, dies, loses its device or stops giving output. */
export async function runProcess(
  options: RunOptions,
  cases: readonly string[],
  folder: string,
  { ended, ...events }: ProcessEvents,
): Promise<ProcessOutcome> {
  const log = `${folder}/log.qpa`, list = `${folder}/cases.txt`, wanted = new Set(cases), settled = new Set<string>();
  let isLost = false;
  const take = (result: DeqpCase) => {
    if (!wanted.has(result.name) || settled.has(result.name)) return;
    settled.add(result.name);
    isLost ||= result.status === "DeviceLost";
    ended(result);
  };
  Deno.writeTextFileSync(list, cases.map((name) => `${name}\n`).join(""));
  remove(log);
  const process = new RunningProcess(options, argumentsOf(options.command, list, log), { ...events, ended: take });
  const { isDone, end } = await process.ended;
  // the log, too, has nothing to believe behind a lost device
  for (const each of isLost ? [] : logOf(log)) if (each.status !== "Crash") take(each);
  return { settled, isDone, end };
}

function argumentsOf(command: readonly string[], cases: string, log: string): string[] {
  const own = command.map((each) => each.replaceAll(CASES, cases).replaceAll(LOG, log));
  if (command.some((each) => each.includes(CASES))) return own;
  return [...own, `--deqp-caselist-file=${cases}`, `--deqp-log-filename=${log}`];
}

/** A program that prints nothing writes a log. */
function logOf(path: string): DeqpCase[] {
  try {
    return parseQpa(Deno.readTextFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** A process whose output is read while it runs. */
class RunningProcess {
  /** Resolves when the process is over. */
  readonly ended: Promise<Omit<ProcessOutcome, "settled">>;
  readonly #options: RunOptions;
  readonly #events: ProcessEvents;
  readonly #child: Deno.ChildProcess;
  readonly #reader: OutputReader;
  readonly #abort = () => this.#kill(ABORTED);
  readonly #dead = Promise.withResolvers<undefined>();
  #cancelAlarm = () => {};
  #began = 0;
  #killed = "";
  #words = "";

  constructor(options: RunOptions, [program, ...args]: string[], events: ProcessEvents) {
    [this.#options, this.#events] = [options, events];
    const { environment: env, folder: cwd } = options, { signal, started } = events;
    this.#child = new Deno.Command(program, { args, env, cwd, stdin: "null", stdout: "piped", stderr: "piped" })
      .spawn();
    this.#reader = new OutputReader({
      started: (name) => {
        this.#began = performance.now();
        started(name);
      },
      ended: (result) => this.#take(result),
    });
    signal.addEventListener("abort", this.#abort);
    if (signal.aborted) this.#abort();
    this.#watch();
    this.ended = this.#run();
  }

  async #run(): Promise<Omit<ProcessOutcome, "settled">> {
    const { stdout, stderr, status } = this.#child;
    const words = this.#read(stderr, (text) => this.#words = (this.#words + text).slice(-LAST_WORDS));
    await this.#read(stdout, (text) => {
      this.#reader.write(text);
      this.#watch();
    });
    await words;
    const { code, signal } = await status;
    this.#reader.finish();
    this.#cancelAlarm();
    this.#events.signal.removeEventListener("abort", this.#abort);
    return this.#outcome(signal ? `it was ended by ${signal}` : `it ended with ${code}`, code === 0 && !signal);
  }

  /** Ends the case that was running. Behind a lost device, that case is to be run again. */
  #outcome(end: string, isClean: boolean): Omit<ProcessOutcome, "settled"> {
    const { running } = this.#reader, why = `${this.#killed || end}${this.#words && `: ${this.#words.trim()}`}`;
    if (running !== undefined && ![ABORTED, LOST].includes(this.#killed)) {
      const status = this.#killed === "" ? "Crash" : "Timeout";
      this.#events.ended({ name: running, status, message: why, seconds: this.#seconds() });
    }
    return { isDone: isClean && running === undefined && this.#killed === "", end: why };
  }

  /** Results after a lost device mean nothing. */
  #take(result: DeqpCase): void {
    if (this.#killed !== "") return;
    this.#events.ended({ ...result, seconds: this.#seconds() });
    if (result.status === "DeviceLost") this.#kill(LOST);
  }

  #seconds(): number {
    return Math.round(performance.now() - this.#began) / 1000;
  }

  #watch(): void {
    const { alarm = byTimer, timeout = TIMEOUT } = this.#options;
    this.#cancelAlarm();
    if (this.#killed === "") this.#cancelAlarm = alarm(() => this.#kill(`no news for ${timeout} ms`), timeout);
  }

  #kill(why: string): void {
    if (this.#killed === "") this.#reader.finish(); // a result that is there counts, and may be a lost device
    if (this.#killed !== "") return;
    this.#killed = why;
    this.#cancelAlarm();
    this.#child.status.then(() => this.#dead.resolve(undefined));
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // the process has just ended
    }
  }

  /** Reads to the end. From a killed process, reads only what is there, because its children may continue. */
  async #read(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
    const reader = stream.getReader(), decoder = new TextDecoder();
    for (;;) {
      const read = await Promise.race([reader.read(), this.#dead.promise]);
      if (!read || read.done) break;
      take(decoder.decode(read.value, { stream: true }));
    }
    await reader.cancel();
  }
}

function byTimer(callback: () => void, milliseconds: number): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/**
 * Returns variables that make the system's Vulkan loader, which dEQP uses, use a driver: the driver's manifest, or a
 * manifest that is written for the driver's library.
 */
export function driverEnvironment(driver: VulkanOptions["driver"], folder: string): Record<string, string> {
  const drivers = chosenDrivers(driverChoice(driver)).filter((each) => each.kind !== "direct");
  if (drivers.length === 0) return {};
  const manifests = drivers.map((each, index) => manifestOf(each, `${folder}/driver_${index}.json`)).join(":");
  return { VK_DRIVER_FILES: manifests, VK_ICD_FILENAMES: manifests };
}

function manifestOf({ kind, path }: Exclude<SingleDriver, { kind: "direct" }>, written: string): string {
  if (kind === "manifest") return resolve(path);
  const ICD = { library_path: path.includes("/") ? resolve(path) : path, api_version: "1.4.0" };
  Deno.writeTextFileSync(written, JSON.stringify({ file_format_version: "1.0.1", ICD }));
  return written;
}
