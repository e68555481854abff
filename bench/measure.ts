/** How often each side of a comparison is measured; an odd number, so that there is a middle one. */
const ROUNDS = 9;

/** Something that does its work `times` times over. */
export type Work = (times: number) => void;

/** Nanoseconds per repetition of two things measured in turn, and how they compare. */
export interface Comparison {
  /** Median nanoseconds of the first. */
  readonly ours: number;
  /** Median nanoseconds of the second. */
  readonly theirs: number;
  /** Median of the ratios of neighbouring rounds: noise that lasts longer than a round cancels out. */
  readonly ratio: number;
}

/** Measures two things in turn, in the same process, after warming both up. */
export function compare(ours: Work, theirs: Work, times: number): Comparison {
  for (let i = 0; i < 3; i++) {
    ours(times);
    theirs(times);
  }
  const pairs = Array.from({ length: ROUNDS }, () => [nanoseconds(ours, times), nanoseconds(theirs, times)]);
  return {
    ours: median(pairs.map(([a]) => a)),
    theirs: median(pairs.map(([, b]) => b)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  };
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function nanoseconds(work: Work, times: number): number {
  const start = performance.now();
  work(times);
  return 1e6 * (performance.now() - start) / times;
}
