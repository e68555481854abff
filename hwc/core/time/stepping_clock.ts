import { type Clock, ManualClock, systemClock } from "./clock.ts";

interface Task {
  readonly time: bigint;
  readonly run: () => void;
  cancel: () => void;
}

/**
 * A clock of real time that can be paused and stepped: a composer with this clock can be paused, and stepped from vsync
 * to vsync. When the clock resumes, its time is the real time, or the stepped time if that is later.
 *
 * @example A second that passes at once
 * ```ts
 * import { SteppingClock } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new SteppingClock(), rung: bigint[] = [];
 * clock.pause();
 * const start = clock.now();
 * clock.at(start + 500_000_000n, () => rung.push(clock.now() - start));
 * clock.step(1_000_000_000n);
 * assertEquals([rung, clock.now() - start], [[500_000_000n], 1_000_000_000n]);
 * ```
 */
export class SteppingClock implements Clock {
  readonly #real = systemClock();
  readonly #tasks = new Set<Task>();
  #stopped: ManualClock | undefined;
  /** The clock's lead over real time, after it was stepped faster. */
  #ahead = 0n;

  /** Whether the clock is paused. */
  get isPaused(): boolean {
    return this.#stopped !== undefined;
  }

  now(): bigint {
    return this.#stopped?.now() ?? this.#real.now() + this.#ahead;
  }

  at(time: bigint, run: () => void): () => void {
    const task: Task = {
      time,
      run: () => {
        this.#tasks.delete(task);
        run();
      },
      cancel: () => {},
    };
    this.#tasks.add(task);
    this.#arm(task);
    return () => {
      this.#tasks.delete(task);
      task.cancel();
    };
  }

  sleep(nanoseconds: bigint): boolean {
    return (this.#stopped ?? this.#real).sleep(nanoseconds);
  }

  /** Pauses the clock. A second call does nothing. */
  pause(): void {
    if (this.#stopped) return;
    this.#stopped = new ManualClock(this.now());
    this.#armAll();
  }

  /** Resumes the clock, at the real time or at the stepped time if that is later. Does nothing if the clock is not paused. */
  resume(): void {
    if (!this.#stopped) return;
    const ahead = this.#stopped.now() - this.#real.now();
    this.#ahead = ahead > 0n ? ahead : 0n;
    this.#stopped = undefined;
    this.#armAll();
  }

  /** Pauses the clock and advances it by a number of nanoseconds, running the due callbacks. */
  step(nanoseconds: bigint): void {
    this.pause();
    this.#stopped!.advance(nanoseconds);
  }

  #armAll(): void {
    for (const task of this.#tasks) {
      task.cancel();
      this.#arm(task);
    }
  }

  #arm(task: Task): void {
    task.cancel = this.#stopped
      ? this.#stopped.at(task.time, task.run)
      : this.#real.at(task.time - this.#ahead, task.run);
  }
}
