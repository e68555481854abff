import { NativeBlock } from "../../ffi/block.ts";
import {
  closeDescriptor,
  createEvent,
  drainEvent,
  duplicate,
  POLL,
  signalEvent,
} from "../../ffi/file/file_descriptor.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { WsiError } from "../error.ts";

/** A wait for a file descriptor. */
interface Waiter {
  readonly fd: number;
  /** Whether the wait was cancelled. */
  isLeaving: boolean;
  resolve(): void;
  reject(error: WsiError): void;
}

const POLLFD_SIZE = 8;

/**
 * Promises for file descriptors that become readable. One `poll()` serves all
 * of them and blocks one of Deno's threads. Nothing stays behind when nobody
 * waits.
 */
export class Readiness {
  #waiters: Waiter[] = [];
  #wake = -1;
  #ended: Promise<void> = Promise.resolve();

  /** How many wait. */
  get pending(): number {
    return this.#waiters.length;
  }

  /** Resolves when the file descriptor, which the caller keeps, can be read, or when it is not to be waited for any more. Rejects with a {@linkcode WsiError} if it fails. */
  async whenReadable(fd: number, until?: AbortSignal): Promise<void> {
    if (until?.aborted) return;
    const own = duplicate(fd);
    if (own < 0) throw new WsiError("out-of-descriptors", `Cannot wait for file descriptor ${fd}: is it open?`);
    const { promise, resolve, reject } = Promise.withResolvers<void>(),
      waiter = { fd: own, isLeaving: false, resolve, reject };
    const abort = () => this.#leave(waiter);
    until?.addEventListener("abort", abort);
    this.#waiters.push(waiter);
    if (this.#wake >= 0) signalEvent(this.#wake);
    else this.#ended = this.#run().catch((error) => this.#giveUp(error));
    try {
      return await promise;
    } finally {
      until?.removeEventListener("abort", abort);
    }
  }

  /** Resolves when no thread waits any more: soon after the last wait has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Rejects all waits with an error. */
  close(): void {
    this.#giveUp(new WsiError("closed", "Cannot wait for a fence any more: the fence worker was closed"));
  }

  /** Removes a waiter after the poll ended: the waiter may count on that nothing waits any more. */
  #leave(waiter: Waiter): void {
    waiter.isLeaving = true;
    if (this.#wake >= 0) signalEvent(this.#wake);
  }

  #giveUp(error: WsiError): void {
    for (const { fd, reject } of this.#waiters.splice(0)) {
      closeDescriptor(fd);
      reject(error);
    }
    if (this.#wake >= 0) signalEvent(this.#wake);
  }

  async #run(): Promise<void> {
    const wake = this.#wake = createEvent();
    if (wake < 0) throw new WsiError("out-of-descriptors", "Cannot wait for a fence: close files first");
    try {
      while (this.#waiters.length > 0) await this.#turn(wake);
    } finally {
      this.#wake = -1;
      closeDescriptor(wake);
    }
  }

  async #turn(wake: number): Promise<void> {
    const polled = [...this.#waiters];
    using block = new NativeBlock(POLLFD_SIZE * (polled.length + 1));
    [wake, ...polled.map(({ fd }) => fd)].forEach((fd, index) => {
      block.view.setInt32(POLLFD_SIZE * index, fd, true);
      block.view.setUint32(POLLFD_SIZE * index + 4, POLL.IN, true);
    });
    // A waiter that left while the turn before ended has drained its wake-up already.
    const timeout = polled.some(({ isLeaving }) => isLeaving) ? 0 : -1;
    await poll()(block.address, BigInt(polled.length + 1), timeout);
    const events = (index: number) => block.view.getUint16(POLLFD_SIZE * index + 6, true);
    if (events(0) !== 0) drainEvent(wake);
    polled.forEach((waiter, index) => this.#settle(waiter, events(index + 1)));
  }

  #settle(waiter: Waiter, events: number): void {
    const at = events === 0 && !waiter.isLeaving ? -1 : this.#waiters.indexOf(waiter);
    if (at < 0) return;
    this.#waiters.splice(at, 1);
    closeDescriptor(waiter.fd);
    if (waiter.isLeaving || (events & (POLL.IN | POLL.HUP)) !== 0) waiter.resolve();
    else waiter.reject(new WsiError("fence-failed", `Cannot wait for a fence: poll() says 0x${events.toString(16)}`));
  }
}

let bound: ((fds: bigint, count: bigint, milliseconds: number) => Promise<number>) | undefined;

/** Calls `poll` on one of Deno's threads for blocking calls. */
function poll(): NonNullable<typeof bound> {
  if (bound) return bound;
  const pointer = Deno.UnsafePointer.create(libcAddress("poll")) as Deno.PointerObject<never>;
  const definition = { parameters: ["u64", "u64", "i32"], result: "i32", nonblocking: true } as const;
  const function_ = new Deno.UnsafeFnPointer(pointer, definition);
  return bound = (fds, count, milliseconds) => function_.call(fds, count, milliseconds);
}
