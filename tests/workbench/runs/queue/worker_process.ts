const ROOT = decodeURIComponent(new URL("../../../../", import.meta.url).pathname);

/** The end of a command, and its output. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the command line in a process of its own. */
function command(args: readonly string[], env: Readonly<Record<string, string>>): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-prompt",
      "--quiet",
      `--import-map=${ROOT}tools/offline_import_map.json`,
      `${ROOT}cli.ts`,
      ...args,
    ],
    env: { NO_COLOR: "1", ...env },
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs a command of the command line to its end. */
export async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { code, stdout, stderr } = await command(args, env).output(), decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A worker in a process of its own, which drains at the end of an `await using` scope. */
export class WorkerProcess implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #printed: Promise<string>;
  #text = "";

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#printed = this.#read();
  }

  /** Starts a worker. Resolves when the worker takes tasks. */
  static async start(
    url: string,
    words: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<WorkerProcess> {
    const worker = new WorkerProcess(command(["worker", `--queue=${url}`, ...words], env).spawn());
    await worker.#ready.promise;
    return worker;
  }

  /** The number of the process. */
  get pid(): number {
    return this.#process.pid;
  }

  /** Kills the worker. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await Promise.all([this.#printed, this.#process.stderr.cancel(), this.#process.status]);
  }

  /** Drains the worker. Returns what it printed. */
  async end(): Promise<string> {
    try {
      this.#process.kill("SIGTERM");
    } catch {
      // it has ended
    }
    const [printed, , { code }] = await Promise.all([
      this.#printed,
      this.#process.stderr.cancel(),
      this.#process.status,
    ]);
    if (code !== 0) throw new Error(`The worker ended with ${code}: ${printed}`);
    return printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #read(): Promise<string> {
    for await (const piece of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      this.#text += piece;
      if (this.#text.includes("worker ")) this.#ready.resolve();
    }
    this.#ready.reject(new Error(`The worker ended early: ${this.#text}`));
    return this.#text;
  }
}
