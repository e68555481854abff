import { WsiError } from "../../error.ts";
import { FramePipe } from "./frame_pipe.ts";

/** The program and the arguments of an encoder. */
export interface EncoderRequest {
  /** The ffmpeg program. */
  readonly program: string;
  /** Returns all arguments; `input` gives the picture's path. */
  readonly args: (input: string) => readonly string[];
}

/** A running ffmpeg that reads raw frames. */
export class Encoder {
  #program: string;
  #process: Deno.ChildProcess;
  #pipe = new FramePipe();
  #lastWords = "";
  #ended: Promise<Deno.CommandStatus>;

  /** Starts it. Throws a {@linkcode WsiError} `encoder-failed`. */
  constructor({ program, args }: EncoderRequest) {
    this.#program = program;
    try {
      const command = new Deno.Command(program, {
        args: [...args(this.#pipe.path)],
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      });
      this.#process = command.spawn();
    } catch (cause) {
      this.#pipe.close();
      throw notStarted(program, cause);
    }
    const listening = this.#listen();
    this.#ended = this.#process.status.then(async (status) => {
      await listening;
      this.#pipe.close();
      return status;
    });
  }

  /** Writes bytes at an address, at the encoder's speed. Throws a {@linkcode WsiError} `encoder-failed` when it has ended. */
  write(address: bigint, size: number): void {
    if (!this.#pipe.write(address, size, this.#process.pid)) throw this.#failed("it ended too early");
  }

  /** No more frames come. */
  end(): void {
    this.#pipe.end();
  }

  /** Waits until the file is complete. Throws a {@linkcode WsiError} `encoder-failed` if it is not. */
  async finish(): Promise<void> {
    this.end();
    const { success, code, signal } = await this.#ended;
    if (!success) throw this.#failed(signal ? `it was ended by ${signal}` : `its exit code is ${code}`);
  }

  /** Keeps the last line of the encoder's output. */
  async #listen(): Promise<void> {
    let text = "";
    for await (const part of this.#process.stderr.pipeThrough(new TextDecoderStream())) {
      text = (text + part).slice(-4096);
      this.#lastWords = text.trim().split("\n").at(-1) ?? "";
    }
  }

  #failed(how: string): WsiError {
    const words = this.#lastWords === "" ? "" : ` and says: ${this.#lastWords}`;
    return new WsiError("encoder-failed", `Cannot encode video: "${this.#program}" failed, ${how}${words}`);
  }
}

/** Checks that the program exists and is ffmpeg. Throws a {@linkcode WsiError} `encoder-failed`. */
export function checkEncoder(program: string): void {
  let success = false;
  try {
    ({ success } = new Deno.Command(program, { args: ["-version"], stdout: "null", stderr: "null" }).outputSync());
  } catch (cause) {
    throw notStarted(program, cause);
  }
  if (!success) throw notStarted(program);
}

function notStarted(program: string, cause?: unknown): WsiError {
  const why = cause instanceof Error ? cause.message : "it does not answer to -version";
  const message =
    `Cannot encode video: "${program}" cannot be run: ${why}; install ffmpeg, or name it by the ffmpeg option`;
  return new WsiError("encoder-failed", message, { cause });
}
