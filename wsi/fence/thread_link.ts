import { createEvent, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { WsiError } from "../error.ts";
import { ENDED, KIND, MOST_JOBS, STATE, STRUCTS, TABLE, TABLE_SIZE, type ThreadOrders } from "./job_table.ts";
import { threadMain } from "./thread_main.ts";

/** A job as it goes into the table. The thread closes `fd` and `event`. */
export interface PostedJob {
  /** One of {@linkcode KIND}. */
  readonly kind: number;
  /** The file descriptor that the thread watches. */
  readonly fd?: number;
  /** The eventfd that the thread writes to. */
  readonly event?: number;
  /** VkDevice */
  readonly device?: bigint;
  /** VkSemaphore, VkFence, or a second file descriptor. */
  readonly object?: bigint;
  /** A timeline's value. */
  readonly value?: bigint;
  /** Address of the Vulkan command. */
  readonly command?: bigint;
}

/** Milliseconds that the thread may take to end before it counts as hanging in a driver. */
const PATIENCE = 30_000;

/** This thread's side of the fence worker's table. */
export class ThreadLink {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #quads: BigInt64Array<SharedArrayBuffer>;
  readonly #wake: number;
  #posted = 0;

  /** Starts the thread, for one job or hold that follows. */
  constructor(start: (orders: ThreadOrders) => void = startThread) {
    const shared = new SharedArrayBuffer(TABLE_SIZE);
    this.#words = new Int32Array(shared);
    this.#quads = new BigInt64Array(shared);
    this.#wake = createEvent();
    if (this.#wake < 0) throw new WsiError("out-of-descriptors", "Cannot start the fence worker: close files first");
    this.#words[TABLE.alive] = 1;
    start({ shared, wake: this.#wake, libc: addresses(), TABLE, STATE, KIND, STRUCTS, MOST_JOBS });
  }

  /** Keeps the thread for one more job or hold; `false` if the thread has ended. */
  hold(): boolean {
    for (;;) {
      const alive = Atomics.load(this.#words, TABLE.alive);
      if (alive === ENDED) return false;
      if (Atomics.compareExchange(this.#words, TABLE.alive, alive, alive + 1) === alive) return true;
    }
  }

  /** Ends a hold that was no job. */
  release(): void {
    Atomics.sub(this.#words, TABLE.alive, 1);
    signalEvent(this.#wake);
  }

  /** Puts a job into a free slot; the job takes over one hold. */
  post(slot: number, job: PostedJob): void {
    const word = this.#word(slot), quad = word / 2;
    this.#words[word + TABLE.kind] = job.kind;
    this.#words[word + TABLE.fd] = job.fd ?? -1;
    this.#words[word + TABLE.event] = job.event ?? -1;
    this.#quads[quad + TABLE.device] = job.device ?? 0n;
    this.#quads[quad + TABLE.object] = job.object ?? 0n;
    this.#quads[quad + TABLE.value] = job.value ?? 0n;
    this.#quads[quad + TABLE.command] = job.command ?? 0n;
    Atomics.store(this.#words, word + TABLE.state, STATE.posted);
    this.#words[TABLE.ring + (this.#posted & MOST_JOBS - 1)] = slot;
    this.#posted = this.#posted + 1 | 0;
    Atomics.store(this.#words, TABLE.posted, this.#posted);
    signalEvent(this.#wake);
  }

  /** Whether the thread has done with a job. */
  isDone(slot: number): boolean {
    return Atomics.load(this.#words, this.#word(slot) + TABLE.state) === STATE.done;
  }

  /** Returns the time at which a job was done, in CLOCK_MONOTONIC nanoseconds, and its result. */
  ending(slot: number): { time: bigint; result: number } {
    const word = this.#word(slot);
    return { time: this.#quads[word / 2 + TABLE.time], result: this.#words[word + TABLE.result] };
  }

  /** Asks for jobs to be dropped, and waits until the thread has done with all of them. */
  cancel(slots: readonly number[]): void {
    for (const slot of slots) {
      Atomics.compareExchange(this.#words, this.#word(slot) + TABLE.state, STATE.posted, STATE.cancelled);
    }
    if (slots.some((slot) => !this.isDone(slot))) signalEvent(this.#wake);
    for (const slot of slots) this.#waitWhile(this.#word(slot) + TABLE.state, STATE.cancelled);
  }

  /** Drops everything and waits until the thread has ended. */
  end(): void {
    if (this.hold()) {
      Atomics.store(this.#words, TABLE.stop, 1);
      signalEvent(this.#wake);
    }
    this.#waitWhile(TABLE.running, 0);
    this.#waitWhile(TABLE.running, 1);
  }

  #word(slot: number): number {
    return (TABLE.jobs + TABLE.jobSize * slot) >> 2;
  }

  #waitWhile(word: number, value: number): void {
    if (Atomics.wait(this.#words, word, value, PATIENCE) !== "timed-out") return;
    const message = "Cannot wait for the fence worker: it did not answer for 30 s; is a driver hanging in a wait?";
    throw new WsiError("fence-failed", message);
  }
}

let known: ThreadOrders["libc"] | undefined;
function addresses(): ThreadOrders["libc"] {
  const names = ["poll", "read", "write", "close", "clock_gettime", "mmap", "munmap"] as const;
  return known ??= Object.fromEntries(names.map((name) => [name, libcAddress(name)])) as ThreadOrders["libc"];
}

/**
 * Starts the fence worker's thread. It needs no permission beyond `--allow-ffi`,
 * starts also while this thread is blocked, and lets the process end.
 */
export function startThread(orders: ThreadOrders): void {
  if (!startWebWorker(orders)) startNodeWorker(orders);
}

/**
 * Starts the thread as a `Worker`. A `Worker` has no public way to let the
 * process end before it: the internal function behind `unref()` of
 * `node:worker_threads` does it. Returns `false` if that function is missing.
 */
export function startWebWorker(orders: ThreadOrders): boolean {
  const setReferenced = Object.getOwnPropertySymbols(Worker.prototype).find((symbol) => !symbol.description);
  if (setReferenced === undefined) return false;
  const source = `onmessage = ({ data }) => { try { (${threadMain})(data); } finally { close(); } };`;
  // The module is its own address: nothing is read or fetched for it.
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const worker = new Worker(url, { type: "module", name: "fences" });
  (worker as unknown as Record<symbol, (referenced: boolean) => void>)[setReferenced](false);
  worker.postMessage(orders);
  return true;
}

/** The used part of `node:worker_threads`. */
interface NodeThreads {
  Worker: new (source: string, options: { eval: true; workerData: unknown }) => { unref(): void };
}

/** Starts it as node's `Worker`, which takes several times as long and twice the memory, but has a public `unref()`. */
export function startNodeWorker(orders: ThreadOrders): void {
  const { process } = globalThis as unknown as { process: { getBuiltinModule(name: string): unknown } };
  const { Worker } = process.getBuiltinModule("node:worker_threads") as NodeThreads;
  const source = `(${threadMain})(require("node:worker_threads").workerData);`;
  new Worker(source, { eval: true, workerData: orders }).unref();
}
