import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";

/** The time of simulated displays, in nanoseconds: CLOCK_MONOTONIC, or a time that a test sets. */
export interface Clock {
  /** The current time. */
  now(): bigint;
  /** Calls back at a time or soon after. Returns a function that cancels the call. */
  at(time: bigint, run: () => void): () => void;
  /** Blocks the thread for a number of nanoseconds. Returns `false` if time passes only by hand. */
  sleep(nanoseconds: bigint): boolean;
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

/**
 * The clock of real time, with timers.
 *
 * @example
 * ```ts
 * import { systemClock } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = systemClock(), before = clock.now();
 * assertEquals(clock.sleep(1_000_000n), true);
 * assertEquals(clock.now() - before >= 1_000_000n, true);
 * ```
 */
export function systemClock(): Clock {
  return {
    now: monotonicNow,
    at(time, run) {
      const timer = setTimeout(run, Math.max(0, Math.ceil(Number(time - monotonicNow()) / 1e6)));
      return () => clearTimeout(timer);
    },
    sleep(nanoseconds) {
      Atomics.wait(NEVER, 0, 0, Math.max(0, Number(nanoseconds) / 1e6));
      return true;
    },
  };
}

interface Task {
  readonly time: bigint;
  readonly run: () => void;
}

/** A clock that stands still until a test advances it, for tests that look at every vsync. */
export class ManualClock implements Clock {
  #now: bigint;
  #tasks: Task[] = [];

  /** Starts the clock at a time. */
  constructor(now: bigint = 1_000_000_000n) {
    this.#now = now;
  }

  /** The current time of the clock. */
  now(): bigint {
    return this.#now;
  }

  /** Calls back when {@linkcode ManualClock.advance} reaches the time. Returns a function that cancels the call. */
  at(time: bigint, run: () => void): () => void {
    const task = { time, run };
    this.#tasks.push(task);
    return () => this.#tasks = this.#tasks.filter((other) => other !== task);
  }

  /** Returns `false`, since waiting does not advance this clock. */
  sleep(_nanoseconds: bigint): boolean {
    return false;
  }

  /** Advances the clock by a number of nanoseconds, and runs the due callbacks in order. */
  advance(nanoseconds: bigint): void {
    const end = this.#now + nanoseconds;
    for (let task = this.#next(end); task; task = this.#next(end)) {
      if (task.time > this.#now) this.#now = task.time;
      task.run();
    }
    this.#now = end;
  }

  #next(end: bigint): Task | undefined {
    const due = this.#tasks.filter(({ time }) => time <= end);
    if (due.length === 0) return undefined;
    const first = due.reduce((soonest, task) => task.time < soonest.time ? task : soonest);
    this.#tasks = this.#tasks.filter((task) => task !== first);
    return first;
  }
}
