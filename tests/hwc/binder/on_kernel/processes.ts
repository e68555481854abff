/**
 * Programs of other processes on a device of binder: a service manager, a composer, others.
 *
 * @module
 */
import { denoRun } from "../driver/on_binder.ts";

const PROGRAMS = new URL("programs/", import.meta.url).pathname;
/** Milliseconds that a program has to say that it is ready: it is emulated, with others beside it. */
const PATIENCE = 120_000;

/** A program that has said how far it has come. */
export class Program {
  readonly #child: Deno.ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(name: string, ...args: string[]) {
    const [command, ...words] = denoRun(`${PROGRAMS}${name}.ts`, ...args);
    this.#child = new Deno.Command(command, { args: words, stdin: "null", stdout: "piped", stderr: "inherit" }).spawn();
    this.#lines = lines(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** The process's number. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Starts a program and waits until it says a word. */
  static async start(name: string, ...args: string[]): Promise<Program> {
    const program = new Program(name, ...args);
    await program.said("ready");
    return program;
  }

  /** Waits until it says a line that begins with a word; the line. */
  async said(word: string): Promise<string> {
    for (;;) {
      const { value, done } = await this.#within(this.#lines.next());
      if (done) throw new Error(`the program ended before it said "${word}"`);
      if (value.startsWith(word)) return value;
    }
  }

  /** Kills it, as nothing can be caught, and waits until it has ended. */
  async kill(): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await this.ended();
  }

  /** Waits until it has ended; its exit code. */
  async ended(): Promise<number> {
    const { code } = await this.#within(this.#child.status);
    while (!(await this.#lines.next()).done);
    return code;
  }

  async #within<Value>(wait: Promise<Value>): Promise<Value> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the program said nothing for ${PATIENCE} ms`)), PATIENCE);
    });
    try {
      return await Promise.race([wait, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
}

/** The number of files that a process has open. */
export function filesOf(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}
