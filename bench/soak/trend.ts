import { median } from "../measure.ts";
import { HELD, type Held, type Holdings } from "./holdings.ts";

/** The share of the samples in which everything that is made once is still being made. */
const WARM = 1 / 3;

/** The way of one of the holdings through the samples. */
export interface Trend {
  readonly held: Held;
  /** The median of the first third after warming up. */
  readonly first: number;
  /** The median of the last third. */
  readonly last: number;
  /** The distance between the quarters of the samples of either third, whichever is larger, at least {@linkcode LEAST}. */
  readonly noise: number;
  /** Whether the last third has more than the first, beyond the noise. */
  readonly grows: boolean;
}

/**
 * Noise that even a quiet process has: memory comes in pages and pools, the engine compiles for minutes, and takes a step
 * of some MiB of resident memory without another use of its heap.
 */
const LEAST: Record<Held, number> = { files: 0, mappings: 2, threads: 1, native: 256, heap: 2048, resident: 8192 };

/** Compares the samples after warming up with the last ones. Fewer than nine samples tell nothing: a `RangeError`. */
export function trendsOf(samples: readonly Holdings[]): Trend[] {
  if (samples.length < 9) throw new RangeError(`${samples.length} samples tell no trend: let the soak run for longer`);
  const warm = samples.slice(Math.ceil(samples.length * WARM)), third = Math.ceil(warm.length / 3);
  return (Object.keys(HELD) as Held[]).map((held) => {
    const values = warm.map((sample) => sample[held]), start = values.slice(0, third), end = values.slice(-third);
    const first = median(start), last = median(end);
    const noise = Math.max(LEAST[held], spread(start), spread(end));
    return { held, first, last, noise, grows: last - first > noise };
  });
}

function spread(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(0.75 * (sorted.length - 1))] - sorted[Math.floor(0.25 * (sorted.length - 1))];
}
