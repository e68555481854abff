import { inFrame } from "../../../ffi/arena.ts";
import { closeDescriptor, createPipe, lastError, readFileStart } from "../../../ffi/file/file_descriptor.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { WsiError } from "../../error.ts";

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

const F_SETFL = 4, F_SETPIPE_SZ = 1031, O_NONBLOCK = 0o4000, POLLOUT = 4;
const EAGAIN = 11;
/** Bytes of the pipe: as much as a process may have without privileges. */
const CAPACITY = 1 << 20;
/** Milliseconds between looks at the reader while the pipe is full. */
const LOOK_AFTER = 100;

/**
 * A pipe to another process, written without the event loop: a producer that
 * draws one frame after the other never comes back to it. The reader opens it by
 * its path, so nothing is inherited.
 */
class FramePipe {
  /** The path that the reader opens. */
  readonly path: string;
  #read: number;
  #write: number;
  #written = 0;

  /** Throws a {@linkcode WsiError} `out-of-descriptors`. */
  constructor() {
    const pipe = createPipe();
    if (!pipe) throw new WsiError("out-of-descriptors", "Cannot make a pipe: no file descriptor is left; close some");
    ({ read: this.#read, write: this.#write } = pipe);
    const control = bindByAddress("s:sss"), fcntl = libcAddress("fcntl"); // int fcntl(int fd, int cmd, ...)
    control(this.#write, F_SETFL, O_NONBLOCK, fcntl);
    control(this.#write, F_SETPIPE_SZ, CAPACITY, fcntl); // if it may not, it stays smaller
    this.path = `/proc/${Deno.pid}/fd/${this.#read}`;
  }

  /** Writes all bytes at an address, and waits for the reader where it must; `false` if that has ended. `reader` is its process id. */
  write(address: bigint, size: number, reader: number): boolean {
    const write = bindByAddress("q:sqq"), at = libcAddress("write"); // ssize_t write(int fd, const void *buf, size_t count)
    for (let done = 0; done < size;) {
      const count = Number(
        BigInt.asIntN(64, write(this.#write, address + BigInt(done), BigInt(size - done), at) as bigint),
      );
      if (count < 0 && lastError() !== EAGAIN) return false;
      if (count < 0 && !this.#waitForRoom() && hasEnded(reader)) return false;
      if (count > 0) this.#count(count);
      done += Math.max(0, count);
    }
    return true;
  }

  /** Ends the stream. Until the reader has opened the pipe, the other end must stay open. */
  end(): void {
    closeDescriptor(this.#write);
    this.#write = -1;
  }

  /** Closes both ends. A second call does nothing. */
  close(): void {
    this.end();
    closeDescriptor(this.#read);
    this.#read = -1;
  }

  /** More than the pipe holds has gone through: there is a reader, and if it ends, writing fails from now on. */
  #count(bytes: number): void {
    this.#written += bytes;
    if (this.#written <= CAPACITY) return;
    closeDescriptor(this.#read);
    this.#read = -1;
  }

  #waitForRoom(): boolean {
    return inFrame((memory) => {
      const at = memory.alloc(8);
      memory.view.setInt32(at, this.#write, true);
      memory.view.setUint32(at + 4, POLLOUT, true);
      // int poll(struct pollfd *fds, nfds_t nfds, int timeout)
      const ready = bindByAddress("s:oqs")(at, 1n, LOOK_AFTER, libcAddress("poll")) as number;
      return ready > 0;
    });
  }
}

/** Whether a process has ended, even if its exit status was not collected yet. */
function hasEnded(pid: number): boolean {
  const state = /\) (\S)/.exec(readFileStart(`/proc/${pid}/stat`))?.[1];
  return state === undefined || state === "Z" || state === "X";
}
