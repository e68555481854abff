import { OutputReader } from "./output.ts";
import { parseQpa } from "./qpa.ts";
import type { DeqpOptions } from "./options.ts";
import type { DeqpCase } from "./status.ts";

/** The result of a process. */
export interface ProcessOutcome {
  /** The results of its cases, and of the case that was running at its end. */
  readonly results: readonly DeqpCase[];
  /** Whether it ended by itself and without an error. */
  readonly isDone: boolean;
  /** How it ended, for messages. */
  readonly end: string;
}

/** The folder and the shard of a process. */
export interface ProcessPlace {
  /** A folder of its own. */
  readonly folder: string;
  /** The number of the shard. */
  readonly shard: number;
}

/** Why a process is ended whose case is not to blame. */
const ABORTED = "aborted", LOST = "the device is lost";
const CASES = "{cases}", LOG = "{log}", TIMEOUT = 60_000, LAST_WORDS = 400;

/** Runs a process on cases until it ends, dies, loses its device or stops giving output. */
export async function runProcess(
  options: DeqpOptions,
  cases: readonly string[],
  place: ProcessPlace,
): Promise<ProcessOutcome> {
  const log = `${place.folder}/log.qpa`, list = `${place.folder}/cases.txt`;
  Deno.writeTextFileSync(list, cases.map((name) => `${name}\n`).join(""));
  remove(log);
  const process = new RunningProcess(options, argumentsOf(options.command, list, log), place.shard);
  const { results, isDone, end } = await process.ended;
  const told = new Set(results.map(({ name }) => name)), wanted = new Set(cases);
  const isLost = results.at(-1)?.status === "DeviceLost"; // the log, too, has nothing to believe behind that
  const logged = (isLost ? [] : logOf(log)).filter(({ name, status }) => {
    return !told.has(name) && wanted.has(name) && status !== "Crash";
  });
  return { results: [...results.filter(({ name }) => wanted.has(name)), ...logged], isDone, end };
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
  readonly ended: Promise<ProcessOutcome>;
  readonly #options: DeqpOptions;
  readonly #child: Deno.ChildProcess;
  readonly #reader: OutputReader;
  readonly #results: DeqpCase[] = [];
  readonly #abort = () => this.#kill(ABORTED);
  readonly #dead = Promise.withResolvers<undefined>();
  #cancelAlarm = () => {};
  #began = 0;
  #killed = "";
  #words = "";

  constructor(options: DeqpOptions, [program, ...args]: string[], shard: number) {
    this.#options = options;
    const { environment: env, folder: cwd, onStart, signal } = options;
    this.#child = new Deno.Command(program, { args, env, cwd, stdin: "null", stdout: "piped", stderr: "piped" })
      .spawn();
    this.#reader = new OutputReader({
      started: (name) => {
        this.#began = performance.now();
        onStart?.(name, shard);
      },
      ended: (result) => this.#take(result),
    });
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
    this.#watch();
    this.ended = this.#run();
  }

  async #run(): Promise<ProcessOutcome> {
    const { stdout, stderr, status } = this.#child;
    const words = this.#read(stderr, (text) => this.#words = (this.#words + text).slice(-LAST_WORDS));
    await this.#read(stdout, (text) => {
      this.#reader.write(text);
      this.#watch();
    });
    await words;
    const { code, signal } = await status;
    this.#cancelAlarm();
    this.#options.signal?.removeEventListener("abort", this.#abort);
    return this.#outcome(signal ? `it was ended by ${signal}` : `it ended with ${code}`, code === 0 && !signal);
  }

  /** Returns the result of the case that was running at the end. Behind a lost device, that case is to be run again. */
  #outcome(end: string, isClean: boolean): ProcessOutcome {
    const { running } = this.#reader, why = `${this.#killed || end}${this.#words && `: ${this.#words.trim()}`}`;
    if (running !== undefined && ![ABORTED, LOST].includes(this.#killed)) {
      const status = this.#killed === "" ? "Crash" : "Timeout";
      this.#results.push({ name: running, status, message: why, seconds: this.#seconds() });
    }
    return { results: this.#results, isDone: isClean && running === undefined && this.#killed === "", end: why };
  }

  /** Results after a lost device mean nothing. */
  #take(result: DeqpCase): void {
    if (this.#killed !== "") return;
    this.#results.push({ ...result, seconds: this.#seconds() });
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
