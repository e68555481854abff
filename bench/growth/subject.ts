import type { Figure } from "../figure.ts";
import type { Parts } from "../parts.ts";

/** Something whose cost is measured at several sizes. */
export interface Subject {
  /** The name that people type. */
  readonly name: string;
  /** The thing that is counted, and the work whose cost is measured. */
  readonly meaning: string;
  /** The sizes, ascending. */
  readonly sizes: readonly number[];
  /** The greatest exponent that meets the goal: {@linkcode LINEAR} or {@linkcode FLAT}. */
  readonly most: number;
  /** Measures the cost of the work at a size, in nanoseconds of this thread. */
  cost(size: number, parts: Parts): number | Promise<number>;
}

/** The goal of work that is as much as what is counted: a line, and five hundredths for noise. */
export const LINEAR = 1.05;
/** The goal of work that what is counted has no part in: nothing, and a tenth for caches of the processor. */
export const FLAT = 0.1;

/** Measures a subject at each of its sizes. The figure is the exponent of the line through the costs. */
export async function growthOf({ name, meaning, sizes, most, cost }: Subject, parts: Parts): Promise<Figure> {
  const points: [number, number][] = [];
  for (const size of sizes) points.push([size, await cost(size, parts)]);
  const value = Math.max(0, exponentOf(points, most === FLAT)), ends = [points[0], points.at(-1)!];
  const range = ends.map(([size, nanoseconds]) => `${size}: ${timeOf(nanoseconds)}`).join(" … ");
  return {
    name: `growth_${name.replaceAll(" ", "_")}`,
    meaning: `${meaning}; ${range}`,
    value,
    unit: "",
    goal: most,
    points,
  };
}

function timeOf(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds.toPrecision(3)} ns`;
  return nanoseconds < 1e6 ? `${(nanoseconds / 1e3).toPrecision(3)} µs` : `${(nanoseconds / 1e6).toPrecision(3)} ms`;
}

/**
 * The slope of the straight line through the logarithms. Work that grows has a share that does not, which hides the
 * slope where the sizes are small: there the greater half of the sizes counts. Work that should not grow is held to all.
 */
export function exponentOf(points: readonly (readonly [number, number])[], all: boolean): number {
  const used = points.slice(all ? 0 : points.length >> 1).map(([size, cost]) => [Math.log(size), Math.log(cost)]);
  const mean = (index: number) => used.reduce((sum, point) => sum + point[index], 0) / used.length;
  const [x, y] = [mean(0), mean(1)];
  const above = used.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return above / used.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
