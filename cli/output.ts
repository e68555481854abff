import { reasonOf } from "../workbench/process/exit_code.ts";

/** Milliseconds until a full pipe is tried again. */
const PAUSE = 1;

/**
 * Standard output. A failed write ends no command in the middle of its work: what follows is dropped, and the exit code
 * says so.
 */
export class Output {
  readonly #write: (bytes: Uint8Array) => number;
  #error: unknown;

  /** An output; the default is that of this process. */
  constructor(write: (bytes: Uint8Array) => number = (bytes) => Deno.stdout.writeSync(bytes)) {
    this.#write = write;
  }

  /** Prints a text and the end of its line. */
  print(text: string): void {
    if (this.#error !== undefined) return;
    const bytes = new TextEncoder().encode(`${text}\n`);
    try {
      for (let at = 0; at < bytes.length;) at += this.#some(bytes.subarray(at));
    } catch (error) {
      this.#error = error;
    }
  }

  #some(bytes: Uint8Array): number {
    try {
      return this.#write(bytes);
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
      return 0;
    }
  }

  /**
   * Returns the exit code of a command that would end with `code`: 1 for one that is good but for what is not printed.
   * The reader of a pipe who leaves, such as `head`, knows why; of any other failure `warn` gets a sentence.
   */
  end(code: number, warn: (text: string) => void): number {
    if (this.#error === undefined) return code;
    if (!(this.#error instanceof Deno.errors.BrokenPipe)) {
      warn(`Not all is printed: standard output ${reasonOf(this.#error)}`);
    }
    return code === 0 ? 1 : code;
  }
}
