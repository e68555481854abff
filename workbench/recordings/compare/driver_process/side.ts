import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { flagsByConfigOf, ownFlags } from "../../../process/own_flags.ts";
import type { VulkanOptions } from "../../../../loader/mod.ts";
import type { Fields } from "../../record/line.ts";
import { RecordingError } from "../../replay/error.ts";
import type { DriverDifference } from "../finding.ts";
import type { Alive, Answer, FactsRequest, RestRequest, RunRequest, SideTask } from "./protocol.ts";
import { temporaryFolder } from "../../../../loader/temporary_folder.ts";

/** One of the drivers that are compared. */
export interface ComparedDriver {
  /** The driver, as `loadVulkan` takes it: a path of a library or manifest, or `"auto"`. */
  readonly driver: string | readonly string[];
  /** Names or manifests of native layers, and files of layers in TypeScript, top to bottom. */
  readonly layers?: readonly string[];
  /** The platform, as in the options of `loadVulkan`. */
  readonly platform?: VulkanOptions["platform"];
}

/** Whether two drivers are one, of which the second says nothing new. */
export function isOneDriver([one, other]: readonly [ComparedDriver, ComparedDriver]): boolean {
  const keyOf = ({ driver, layers = [], platform }: ComparedDriver) => JSON.stringify([driver, layers, platform]);
  return keyOf(one) === keyOf(other);
}

/** A process that ended, or had to be ended, before its answer. */
export interface Died {
  /** The end of the process: by itself, or after the time limit. */
  readonly died: "crashed" | "timed out";
  /** Such as "signal SIGSEGV". */
  readonly how: string;
  /** The last output on standard error. */
  readonly output: string;
}

/** An answer of a process, or the end of the process. */
export type Reply = Answer | Died;

/** Milliseconds that a process may take to start and to open its driver. */
export const STARTING = 60_000;
const TYPESCRIPT = /\.(ts|js|mts|mjs)$/;
/** Characters of standard error that are kept. */
const KEPT = 4000;
/** Milliseconds that a process gets to end once it was asked to. */
const ENDING = 2000;

/** A process that replays recordings on one driver. */
export class Side {
  readonly #child: Deno.ChildProcess;
  readonly #answers: ReadableStreamDefaultReader<string>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #folder = temporaryFolder("compare");
  readonly #printed: Promise<string>;
  #text = "";
  #ended = false;

  /** Starts a process. */
  constructor(options: ComparedDriver) {
    try {
      this.#child = start(taskOf(options, this.#folder.path));
    } catch (error) {
      this.#folder[Symbol.dispose]();
      throw error;
    }
    this.#answers = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#writer = this.#child.stdin.getWriter();
    this.#printed = lastOf(this.#child.stderr);
  }

  /** Whether the process can be asked. */
  get isAlive(): boolean {
    return !this.#ended;
  }

  /** Asks, and waits at most so many milliseconds for the answer. */
  async ask(request: FactsRequest | RunRequest | RestRequest, patience: number): Promise<Answer | Died> {
    try {
      await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    } catch {
      // The pipe is closed: the process has ended, perhaps with an answer.
    }
    return await this.answer(patience);
  }

  /** Waits for the next answer. A sign of life gives the process the same time again. */
  async answer(patience: number): Promise<Answer | Died> {
    for (;;) {
      const found = await this.#within(patience);
      if (found === "late") return await this.#died("timed out", `no answer in ${patience} ms`);
      if (found === undefined) return await this.#died("crashed");
      if (!("alive" in found)) return found;
    }
  }

  async #within(patience: number): Promise<Answer | Alive | "late" | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), patience));
    try {
      return await Promise.race([this.#next(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the process at once, even amid an answer. Who waits for that is told that the process crashed. */
  interrupt(): void {
    this.#kill();
  }

  /** Ends the process and removes its files. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#writer.close().catch(() => {});
    const timer = setTimeout(() => this.#kill(), ENDING);
    await this.#finish();
    clearTimeout(timer);
  }

  /** A line that is no answer was printed by a driver or a layer. */
  async #next(): Promise<Answer | Alive | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        const answer = parsed(line);
        if (answer) return answer;
        continue;
      }
      const { value, done } = await this.#answers.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  async #died(died: Died["died"], reason?: string): Promise<Died> {
    this.#ended = true;
    if (died === "timed out") this.#kill();
    await this.#writer.abort().catch(() => {});
    const { signal, code } = await this.#finish();
    const how = reason ?? (signal ? `signal ${signal}` : `exit code ${code}`);
    return { died, how, output: (await this.#printed).trim() };
  }

  async #finish(): Promise<Deno.CommandStatus> {
    await this.#answers.cancel().catch(() => {});
    const [status] = await Promise.all([this.#child.status, this.#printed]);
    this.#folder[Symbol.dispose]();
    return status;
  }

  #kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it has just ended
    }
  }
}

/** Makes the task of a process that runs a driver with its layers. */
export function taskOf({ layers = [], ...vulkan }: ComparedDriver, folder: string): SideTask {
  const native = layers.filter((each) => !TYPESCRIPT.test(each));
  return {
    vulkan: { ...vulkan, layers: native } as Fields,
    layerFiles: layers.filter((each) => TYPESCRIPT.test(each)),
    folder,
    parent: Deno.pid,
  };
}

function start(task: SideTask): Deno.ChildProcess {
  const file = import.meta.resolve("./child.ts");
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...flagsFor(file, task.layerFiles), file, JSON.stringify(task)],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true, // Ctrl-C ends the process that asks, which says what to do
  }).spawn();
}

/** The flags for a program that runs a driver with layers in TypeScript. What the imports of a layer mean is decided by the configuration nearest to the layer. */
export function flagsFor(program: string, [layer]: readonly string[]): string[] {
  if (layer === undefined) return ownFlags(program);
  const file = pathToFileURL(resolve(layer)).href;
  return flagsByConfigOf(file) ?? ownFlags(file);
}

function parsed(line: string): Answer | Alive | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The end of what a stream brings. */
async function lastOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) text = (text + chunk).slice(-KEPT);
  return text;
}

const NOTHING: Pick<DriverDifference, "differences" | "contents"> = { differences: [], contents: new Map() };

/** Failures of the device, which say something even if both drivers have them. */
const ENDINGS: readonly (readonly [text: RegExp, kind: "lost" | "timed out"])[] = [
  [/\bVK_ERROR_DEVICE_LOST\b/, "lost"],
  [/has not finished in \d+ ms|nothing came in \d+ ms/, "timed out"],
];

/** The finding of a driver whose process ended, or whose device did: whatever the other one says. */
export function endingOf(reply: Reply, side: 0 | 1): DriverDifference | undefined {
  if ("died" in reply) {
    const reason = [reply.how, reply.output].filter((text) => text !== "").join("; ");
    return { kind: reply.died, side, reason, ...NOTHING };
  }
  const kind = "failed" in reply ? ENDINGS.find(([text]) => text.test(reply.failed))?.[1] : undefined;
  return kind && "failed" in reply ? { kind, side, reason: reply.failed, line: reply.line, ...NOTHING } : undefined;
}

/** The finding of replies that are not of one kind. */
export function partedBy(replies: readonly [Reply, Reply]): DriverDifference | undefined {
  const ending = endingOf(replies[0], 0) ?? endingOf(replies[1], 1);
  if (ending) return ending;
  const unusable = replies.find((reply) => "unusable" in reply);
  if (unusable) throw new TypeError((unusable as Extract<Answer, { unusable: string }>).unusable);
  const failed = replies.map((reply) => "failed" in reply);
  if (!failed[0] && !failed[1]) return undefined;
  const side = failed[0] ? 0 : 1, { failed: reason, line, code } = replies[side] as Extract<Answer, { failed: string }>;
  if (failed[0] && failed[1]) throw new RecordingError(code, line, reason);
  if (code === "unsupported" && line === 0) throw new RecordingError(code, line, `${"AB"[side]}: ${reason}`);
  return { kind: "failed", side, reason, line, ...NOTHING };
}
