import { type ComparedDriver, flagsFor, STARTING, taskOf } from "../compare/driver_process/side.ts";
import type { Script } from "./script.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import type { SideTask } from "../compare/driver_process/protocol.ts";

/** The end of a script's test on one driver. */
export interface Trial {
  /** Whether the test passed, failed, or its process crashed or timed out. */
  readonly outcome: "passed" | "failed" | "crashed" | "timed out";
  /** The reason why the test did not pass. */
  readonly reason?: string;
}

/** The package, as scripts name it, and as it lies here. */
const PACKAGE = {
  "jsr:@pumice/gfx/testing": import.meta.resolve("../../runs/testing/mod.ts"),
  "jsr:@pumice/gfx/vk": import.meta.resolve("../../../loader/vk.ts"),
};

/**
 * Runs a script's test once on a driver, in a process of its own, for at most so many milliseconds. Throws the reason
 * of an abort.
 */
export async function tryScript(
  { name, text }: Script,
  driver: ComparedDriver,
  timeout: number,
  signal?: AbortSignal,
): Promise<Trial> {
  signal?.throwIfAborted();
  using folder = temporaryFolder("trial");
  const path = `${folder.path}/script.ts`;
  Deno.writeTextFileSync(path, withOwnImports(text));
  const task: TrialTask = { ...taskOf(driver, folder.path), file: `file://${path}`, name };
  const trial = await run(task, timeout, signal);
  signal?.throwIfAborted();
  return trial;
}

/** The script's imports are those of this copy of the package, wherever the script lies. */
function withOwnImports(text: string): string {
  return Object.entries(PACKAGE).reduce(
    (changed, [name, path]) => changed.replace(`"${name}"`, JSON.stringify(path)),
    text,
  );
}

async function run(task: TrialTask, timeout: number, abort?: AbortSignal): Promise<Trial> {
  const file = import.meta.resolve("./trial_child.ts");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", ...flagsFor(file, task.layerFiles), file, JSON.stringify(task)],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const watchdog = new Watchdog(child, STARTING, abort), errors = textOf(child.stderr);
  const output = await textOf(child.stdout, (text) => text.includes(BEGAN) && watchdog.give(timeout));
  const { signal, code } = await child.status;
  watchdog.stop();
  if (watchdog.isLate) return { outcome: "timed out", reason: `no end in ${timeout} ms` };
  const told = answerIn(output);
  if (told) return told;
  const how = signal ? `signal ${signal}` : `exit code ${code}`;
  return { outcome: "crashed", reason: `${how} ${(await errors).trim()}`.trim() };
}

/** Ends a process that takes too long, or whose answer nobody waits for. */
class Watchdog {
  /** Whether the process was ended. */
  isLate = false;
  readonly #child: Deno.ChildProcess;
  readonly #signal: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout>;
  #isGiven = false;

  constructor(child: Deno.ChildProcess, patience: number, signal?: AbortSignal) {
    this.#child = child;
    this.#signal = signal;
    this.#timer = this.#after(patience);
    signal?.addEventListener("abort", this.#end);
  }

  /** Gives the process so many milliseconds from now on, once. */
  give(patience: number): void {
    if (this.#isGiven) return;
    this.#isGiven = true;
    clearTimeout(this.#timer);
    this.#timer = this.#after(patience);
  }

  /** The process has ended. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#end);
  }

  readonly #end = () => this.#child.kill("SIGKILL");

  #after(patience: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.isLate = true;
      this.#end();
    }, patience);
  }
}

/** Everything that a stream brings; called with all so far. */
async function textOf(stream: ReadableStream<Uint8Array>, onText?: (text: string) => void): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    onText?.(text);
  }
  return text;
}

/** Reads the last answer of the process: a driver or a layer may have printed something, too. */
function answerIn(output: string): Trial | undefined {
  const line = output.split("\n").findLast((each) => /^\{"(passed|failed)":/.test(each));
  if (line === undefined) return undefined;
  const { failed } = JSON.parse(line);
  return failed === undefined ? { outcome: "passed" } : { outcome: "failed", reason: failed };
}

/** The task of a process that runs a script's test once. */
export interface TrialTask extends SideTask {
  /** The script's address. */
  readonly file: string;
  /** The test's name. */
  readonly name: string;
}

/** The line that the process prints when the driver is open and the test begins. */
export const BEGAN = "the test begins";
