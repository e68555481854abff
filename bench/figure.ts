/** One measured number. */
export interface Figure {
  /** The figure's key in the JSON object. */
  readonly name: string;
  /** The meaning, as a sentence. */
  readonly meaning: string;
  /** The value. */
  readonly value: number;
  /** `ns`, `µs`, `ms`, `MiB`, `B`, `×` for a ratio to C, or nothing for a count. */
  readonly unit: string;
  /** The greatest value that meets the goal; `undefined` without a goal. */
  readonly goal?: number;
  /** Costs at each size in nanoseconds, where the value is an exponent. */
  readonly points?: readonly (readonly [size: number, cost: number])[];
}

const BAR = 30, RATIO = "×";

/** Four digits: what follows is noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Tells a ratio of two things measured in turn, which other machines can be compared by, from a time or a size. */
export function isRatio({ unit }: Figure): boolean {
  return unit === RATIO;
}

/** Shows figures as a table; a full bar is the goal. */
export function figureTable(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  return figures.map(({ name, meaning, value, unit, goal }) => {
    const number = `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`.padStart(11);
    const bound = goal === undefined ? "" : `≤ ${goal}`.padEnd(6);
    return `${name.padEnd(width)} ${number} ${bar(value, goal)} ${bound.padEnd(6)} ${meaning}`;
  }).join("\n");
}

function bar(value: number, goal: number | undefined): string {
  if (goal === undefined) return " ".repeat(BAR);
  const full = goal === 0 ? 0 : Math.min(BAR, Math.max(0, Math.round(BAR * value / goal)));
  return value > goal ? "!".repeat(BAR) : "█".repeat(full) + "·".repeat(BAR - full);
}
