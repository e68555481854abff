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
