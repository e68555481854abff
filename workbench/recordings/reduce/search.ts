import type { RecordedLine } from "../record/line.ts";
import type { Candidate } from "./candidate.ts";

/** A reduction that goes on, as the steps of it see it. */
export interface Search {
  /** The smallest recording so far. */
  readonly lines: readonly RecordedLine[];
  /** The bytes of recordings. */
  readonly candidate: Candidate;
  /** Whether the condition is true of a recording. */
  isTrueOf(lines: readonly RecordedLine[]): Promise<boolean>;
  /** Whether a recording is smaller and the condition is true of it. Then the recording is the smallest so far. */
  take(lines: readonly RecordedLine[]): Promise<boolean>;
}

/**
 * Leaves out as many items as possible while a condition holds: halves first,
 * then quarters, down to single items. Calls the condition with what is left
 * out. Returns what can be left out.
 */
export async function leaveOut<T>(items: readonly T[], holds: (out: readonly T[]) => Promise<boolean>): Promise<T[]> {
  let left = [...items], out: T[] = [];
  for (let size = left.length; size >= 1; size = Math.floor(size / 2)) {
    // From the end: what comes later needs what came before.
    for (let end = left.length; end > 0; end -= size) {
      const chunk = left.slice(Math.max(0, end - size), end);
      if (!await holds([...out, ...chunk])) continue;
      out = [...out, ...chunk];
      left = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
    }
  }
  return out;
}
