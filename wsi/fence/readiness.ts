import { inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import {
  closeDescriptor,
  createEvent,
  drainEvent,
  duplicate,
  errorName,
  lastError,
  POLL,
  signalEvent,
} from "../../ffi/file/file_descriptor.ts";
import { addressOf, callLibc as call } from "../../ffi/invoke.ts";
import { WsiError } from "../error.ts";

/** A wait for a file descriptor. */
interface Waiter {
  readonly fd: number;
  /** Whether the wait was cancelled. */
  isLeaving: boolean;
  resolve(): void;
  reject(error: WsiError): void;
}

const EPOLL_CTL_ADD = 1, EPOLL_CTL_DEL = 2, EPOLL_CLOEXEC = 0x80000, EPERM = 1;
/** `struct epoll_event`: 32 bits of events and 64 of data, without a gap on x86-64 alone. */
const EVENT_SIZE = Deno.build.arch === "x86_64" ? 12 : 16, DATA = EVENT_SIZE - 8;
/** The most events of one turn; more come with the next. */
const MOST_EVENTS = 64;
/** The most turns one after the other in which the kernel refuses to wait; a signal interrupts one or two. */
const MOST_REFUSALS = 16;

/** A set of file descriptors that the kernel watches, and the event that ends a wait for them. */
interface Watch {
  readonly epoll: number;
  readonly wake: number;
  readonly events: NativeBlock;
}

/**
 * Promises for file descriptors that become readable. One `epoll_wait()` serves
 * all of them and blocks one of Deno's threads; who comes later joins a wait
 * that has begun, without waking its thread. Nothing stays behind when nobody
 * waits.
 */
export class Readiness {
  #waiters: Waiter[] = [];
  #watch: Watch | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** The number of waiters. */
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
    this.#add(waiter);
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

  #add(waiter: Waiter): void {
    this.#waiters.push(waiter);
    try {
      const watch = this.#watch ?? this.#begin();
      if (watchDescriptor(watch, waiter.fd)) return;
      this.#settle(waiter, POLL.IN); // a file on a disk is readable always
    } catch (error) {
      this.#remove(waiter);
      waiter.reject(error as WsiError);
    }
    if (this.#waiters.length === 0) this.#wake(); // the thread waits for nobody
  }

  #begin(): Watch {
    const watch = this.#watch = openWatch();
    this.#ended = this.#run(watch).catch((error) => this.#giveUp(error));
    return watch;
  }

  /** Removes a waiter after the wait ended: the waiter may count on that nothing waits any more. */
  #leave(waiter: Waiter): void {
    waiter.isLeaving = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#watch) signalEvent(this.#watch.wake);
  }

  #giveUp(error: WsiError): void {
    for (const waiter of [...this.#waiters]) {
      this.#remove(waiter);
      waiter.reject(error);
    }
    this.#wake();
  }

  async #run(watch: Watch): Promise<void> {
    try {
      for (let refusals = 0; this.#waiters.length > 0;) {
        refusals = await this.#turn(watch) < 0 ? refusals + 1 : 0;
        if (refusals > MOST_REFUSALS) throw new WsiError("fence-failed", "Cannot wait for a fence: epoll_wait() fails");
      }
    } finally {
      this.#watch = undefined;
      closeWatch(watch);
    }
  }

  /** Returns what the kernel says: the number of events, or -1. */
  async #turn({ epoll, wake, events }: Watch): Promise<number> {
    // A waiter that left while the turn before ended has drained its wake-up already.
    const leaving = this.#waiters.filter(({ isLeaving }) => isLeaving);
    const count = await epollWait()(epoll, events.address, MOST_EVENTS, leaving.length > 0 ? 0 : -1);
    const ready = new Map<number, number>();
    for (let at = 0; at < count * EVENT_SIZE; at += EVENT_SIZE) {
      ready.set(events.view.getInt32(at + DATA, true), events.view.getUint32(at, true));
    }
    if (ready.has(wake)) drainEvent(wake);
    for (const waiter of [...this.#waiters]) this.#settle(waiter, ready.get(waiter.fd) ?? 0);
    return count;
  }

  #settle(waiter: Waiter, events: number): void {
    if (events === 0 && !waiter.isLeaving) return;
    this.#remove(waiter);
    if (waiter.isLeaving || (events & (POLL.IN | POLL.HUP)) !== 0) waiter.resolve();
    else waiter.reject(new WsiError("fence-failed", `Cannot wait for a fence: poll() says 0x${events.toString(16)}`));
  }

  /** The kernel forgets a file descriptor by itself only when all of its duplicates are closed. */
  #remove(waiter: Waiter): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
    // int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
    if (this.#watch) call("epoll_ctl", "s:ssso", this.#watch.epoll, EPOLL_CTL_DEL, waiter.fd, 0);
    closeDescriptor(waiter.fd);
  }
}

function openWatch(): Watch {
  const epoll = call("epoll_create1", "s:s", EPOLL_CLOEXEC), wake = createEvent(); // int epoll_create1(int flags)
  const watch = { epoll, wake, events: new NativeBlock(MOST_EVENTS * EVENT_SIZE) };
  try {
    if (epoll < 0 || wake < 0) throw new WsiError("out-of-descriptors", "Cannot wait for a fence: close files first");
    watchDescriptor(watch, wake);
    return watch;
  } catch (error) {
    closeWatch(watch);
    throw error;
  }
}

function closeWatch({ epoll, wake, events }: Watch): void {
  [epoll, wake].forEach(closeDescriptor);
  events.close();
}

/** Lets the kernel watch a file descriptor; `false` for a file that is never waited for. */
function watchDescriptor({ epoll }: Watch, fd: number): boolean {
  const errno = inFrame((memory) => {
    const at = memory.alloc(EVENT_SIZE);
    memory.view.setUint32(at, POLL.IN, true);
    memory.view.setInt32(at + DATA, fd, true);
    return call("epoll_ctl", "s:ssso", epoll, EPOLL_CTL_ADD, fd, at) === 0 ? 0 : lastError();
  });
  if (errno === 0) return true;
  if (errno === EPERM) return false;
  throw new WsiError("out-of-descriptors", `Cannot wait for a fence: epoll_ctl() says ${errorName(errno)}`);
}

let bound: ((epoll: number, events: bigint, count: number, milliseconds: number) => Promise<number>) | undefined;

/** Calls `epoll_wait` on one of Deno's threads for blocking calls. */
function epollWait(): NonNullable<typeof bound> {
  if (bound) return bound;
  const pointer = Deno.UnsafePointer.create(addressOf("epoll_wait")) as Deno.PointerObject<never>;
  const definition = { parameters: ["i32", "u64", "i32", "i32"], result: "i32", nonblocking: true } as const;
  const function_ = new Deno.UnsafeFnPointer(pointer, definition);
  return bound = (epoll, events, count, milliseconds) => function_.call(epoll, events, count, milliseconds);
}
