import { type Figure, isRatio } from "../figure.ts";

/** The growth of a ratio beside a base that is a finding: noise of a busy machine stays below. */
export const WORSE = 1.25;

/** A ratio beside the base's. */
export interface Change {
  readonly name: string;
  readonly before: number;
  readonly now: number;
}

/** Names of figures → values, from what `--json` printed or from a record of bench/records. */
export function readBase(path: string): Map<string, number> {
  const base = JSON.parse(Deno.readTextFileSync(path));
  const groups: { figures: Figure[] }[] = Object.values(base.groups ?? {});
  const values = base.groups === undefined
    ? Object.entries(base)
    : groups.flatMap(({ figures }) => figures.map(({ name, value }) => [name, value]));
  if (values.length === 0 || values.some(([, value]) => typeof value !== "number")) {
    throw new TypeError(`${path} has no figures: give a file that deno task bench --json printed, or a record`);
  }
  return new Map(values as [string, number][]);
}

/** The ratios that grew by more than a quarter. Times are left alone: they tell of the machine. */
export function worseRatios(base: ReadonlyMap<string, number>, figures: readonly Figure[]): Change[] {
  return figures.filter(isRatio).flatMap(({ name, value }) => {
    const before = base.get(name);
    return before !== undefined && value > before * WORSE ? [{ name, before, now: value }] : [];
  });
}
