/** The profile of one command. */
export interface ProfileRow {
  /** The command's name. */
  readonly command: string;
  /** The number of calls of the command. */
  readonly calls: number;
  /** Milliseconds spent in the command and everything below, in total. */
  readonly milliseconds: number;
}

/** The profile of one frame. */
export interface ProfileFrame {
  /** Number of the frame, from 0. */
  readonly frame: number;
  /** The number of calls in the frame, of all commands. */
  readonly calls: number;
  /** Milliseconds spent in the commands. */
  readonly milliseconds: number;
  /** One row per command called in the frame, most time first. */
  readonly rows: ProfileRow[];
}

/** The calls of a command. */
export interface Counter {
  /** The number of calls. */
  calls: number;
  /** Milliseconds spent in the command, in total. */
  milliseconds: number;
}

/** Calls and milliseconds by command. */
export type Counters = Map<string, Counter>;

/** Returns the counter of a command; a new one at its first call. */
export function counterOf(counters: Counters, command: string): Counter {
  let counter = counters.get(command);
  if (!counter) counters.set(command, counter = { calls: 0, milliseconds: 0 });
  return counter;
}

/** Adds a call to a counter. */
export function addCall(counter: Counter, milliseconds: number): void {
  counter.calls++;
  counter.milliseconds += milliseconds;
}

/** Adds the counters of a second profile to those of the first, and returns the first. */
export function addCounters(to: Counters, counters: Counters): Counters {
  for (const [command, { calls, milliseconds }] of counters) {
    const counter = counterOf(to, command);
    counter.calls += calls;
    counter.milliseconds += milliseconds;
  }
  return to;
}

/** Returns one row per command, most time first. */
export function rowsOf(counters: Counters): ProfileRow[] {
  return [...counters].map(([command, counter]) => ({ command, ...counter }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}

/** Returns the rows of a frame and their sums. */
export function frameOf(frame: number, counters: Counters): ProfileFrame {
  const rows = rowsOf(counters);
  return { frame, ...sumOf(rows), rows };
}

/** Returns the sums of calls and milliseconds. */
export function sumOf(
  rows: readonly { calls: number; milliseconds: number }[],
): { calls: number; milliseconds: number } {
  const sum = { calls: 0, milliseconds: 0 };
  for (const { calls, milliseconds } of rows) {
    sum.calls += calls;
    sum.milliseconds += milliseconds;
  }
  return sum;
}

/** Key of a layer's {@linkcode TimedLayer} function. */
export const TIMED: unique symbol = Symbol("timed");

/**
 * A layer of this project whose hooks only measure calls. For programs in other
 * processes, the program itself can measure then, and goes on without waiting.
 */
export interface TimedLayer {
  /** Hears of a call that was made, in place of the hook. */
  readonly [TIMED]?: (command: string, nanoseconds: number) => void;
}
