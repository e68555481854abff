/** What a profile knows of one command. */
export interface ProfileRow {
  /** The command's name. */
  readonly command: string;
  /** How often it was called. */
  readonly calls: number;
  /** Milliseconds spent in it and everything below, in all. */
  readonly milliseconds: number;
}

/** What a profile knows of one frame. */
export interface ProfileFrame {
  /** Counts the frames from 0. */
  readonly frame: number;
  /** How many commands were called in it. */
  readonly calls: number;
  /** Milliseconds spent in them. */
  readonly milliseconds: number;
  /** One row per command called in it, most time first. */
  readonly rows: ProfileRow[];
}

/** The calls of a command. */
export interface Counter {
  /** How often it was called. */
  calls: number;
  /** Milliseconds spent in it, in all. */
  milliseconds: number;
}

/** Calls and milliseconds by command. */
export type Counters = Map<string, Counter>;

/** The counter of a command; a new one if it was not called yet. */
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

/** One row per command, most time first. */
export function rowsOf(counters: Counters): ProfileRow[] {
  return [...counters].map(([command, counter]) => ({ command, ...counter }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}

/** The rows of a frame and their sums. */
export function frameOf(frame: number, counters: Counters): ProfileFrame {
  const rows = rowsOf(counters);
  return { frame, ...sumOf(rows), rows };
}

/** All calls, and all milliseconds. */
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
