/** Measurements of each side of a comparison; an odd number, for the median. */
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
  /** Nanoseconds that the best round of the first took more than the best of the second. */
  readonly extra: number;
}

/** Something that says milliseconds. */
export type Clock = () => number;

const WALL: Clock = () => performance.now();

/** Measures two things in turn, in the same process, after warming both up; by default on the wall's clock. */
export function compare(ours: Work, theirs: Work, times: number, clock: Clock = WALL): Comparison {
  for (let i = 0; i < 3; i++) {
    ours(times);
    theirs(times);
  }
  const pairs = Array.from(
    { length: ROUNDS },
    () => [nanoseconds(ours, times, clock), nanoseconds(theirs, times, clock)],
  );
  const first = pairs.map(([a]) => a), second = pairs.map(([, b]) => b);
  return {
    ours: median(first),
    theirs: median(second),
    ratio: median(pairs.map(([a, b]) => a / b)),
    extra: Math.min(...first) - Math.min(...second),
  };
}

/** Measures one thing alone: the least nanoseconds per repetition of some rounds, after warming up. */
export function leastOf(work: Work, times: number, clock: Clock = WALL): number {
  work(times);
  return Math.min(...Array.from({ length: ROUNDS }, () => nanoseconds(work, times, clock)));
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function nanoseconds(work: Work, times: number, clock: Clock): number {
  const start = clock();
  work(times);
  return 1e6 * (clock() - start) / times;
}
