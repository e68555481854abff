/** What a profile knows of one command. */
export interface ProfileRow {
  /** The command. */
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

/** Calls and milliseconds by command. */
export type Counters = Map<string, { calls: number; milliseconds: number }>;

/** Adds a call. */
export function count(counters: Counters, command: string, milliseconds: number): void {
  const counter = counters.get(command);
  if (!counter) return void counters.set(command, { calls: 1, milliseconds });
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
