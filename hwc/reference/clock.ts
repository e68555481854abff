import { monotonicNow } from "../../ffi/file/file_descriptor.ts";

/** Time for simulated displays, CLOCK_MONOTONIC nanoseconds or what a test makes of it. */
export interface Clock {
  /** Now. */
  now(): bigint;
  /** Calls back at a time or soon after; the result prevents it. */
  at(time: bigint, run: () => void): () => void;
  /** Lets so many nanoseconds pass while the thread waits; `false` where time passes only by hand. */
  sleep(nanoseconds: bigint): boolean;
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Real time, by timers. */
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

/** Time that stands until it is moved on: for tests that look at every vsync. */
export class ManualClock implements Clock {
  #now: bigint;
  #tasks: Task[] = [];

  /** Begins at a time. */
  constructor(now: bigint = 1_000_000_000n) {
    this.#now = now;
  }

  /** Where it stands. */
  now(): bigint {
    return this.#now;
  }

  /** Called by {@linkcode ManualClock.advance} when the time comes. */
  at(time: bigint, run: () => void): () => void {
    const task = { time, run };
    this.#tasks.push(task);
    return () => this.#tasks = this.#tasks.filter((other) => other !== task);
  }

  /** Time does not pass by waiting. */
  sleep(_nanoseconds: bigint): boolean {
    return false;
  }

  /** Moves on by so many nanoseconds, doing on the way what was to be done, in order. */
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
