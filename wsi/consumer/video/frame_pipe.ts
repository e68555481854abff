import { inFrame } from "../../../ffi/arena.ts";
import { closeDescriptor, createPipe, lastError, readFileStart } from "../../../ffi/file/file_descriptor.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { WsiError } from "../../error.ts";

const F_SETFL = 4, F_SETPIPE_SZ = 1031, O_NONBLOCK = 0o4000, POLLOUT = 4;
const EAGAIN = 11;
/** Bytes of the pipe: as much as a process may have without privileges. */
const CAPACITY = 1 << 20;
/** How often the reader is checked while the pipe is full, milliseconds. */
const LOOK_AFTER = 100;

/**
 * A pipe to another process, written without the event loop: a producer that
 * draws one frame after the other never comes back to it. The reader opens it by
 * its path, so nothing is inherited.
 */
export class FramePipe {
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
