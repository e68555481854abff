import { NoAdb } from "./failures.ts";

/** The answer of `adb`. */
export interface Said {
  /** The exit code; 124 if it took too long. */
  readonly code: number;
  /** Standard output and standard error. */
  readonly text: string;
  /** Whether a signal ended it, as Ctrl-C ends all processes of a terminal. */
  readonly isInterrupted: boolean;
}

/** Seconds for one command. A library has 130 KiB, and is pushed in less. */
const LIMIT = 60;
const TOO_LATE = 124;

/** The program `adb`, for one phone. */
export class Adb {
  /** The phone; empty for the only one. */
  serial: string;
  readonly #program: string;

  /** Runs nothing yet. */
  constructor(program: string, serial: string) {
    this.#program = program;
    this.serial = serial;
  }

  /** A command as one types it. */
  line(words: readonly string[]): string {
    return ["adb", ...this.#words(words)].map(quoted).join(" ");
  }

  /** Runs a command. Throws {@linkcode NoAdb} if there is no such program. */
  async run(words: readonly string[]): Promise<Said> {
    const limit = AbortSignal.timeout(LIMIT * 1000), args = [...this.#words(words)];
    const { code, signal, stdout, stderr } = await this.#output(args, limit);
    const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim()).filter(Boolean).join("\n");
    if (limit.aborted) return { code: TOO_LATE, text: `no answer for ${LIMIT} seconds`, isInterrupted: false };
    return { code, text, isInterrupted: signal !== null };
  }

  async #output(args: string[], signal: AbortSignal): Promise<Deno.CommandOutput> {
    try {
      const command = new Deno.Command(this.#program, {
        args,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
        signal,
      });
      return await command.output();
    } catch (error) {
      throw new NoAdb(this.#program, error as Error);
    }
  }

  #words(words: readonly string[]): readonly string[] {
    return this.serial === "" ? words : ["-s", this.serial, ...words];
  }
}

function quoted(word: string): string {
  return /^[\w./:@=%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
