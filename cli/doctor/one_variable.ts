import type { Attempt, Run } from "./program.ts";

/** A run without variables. */
export function without(unset: readonly string[]): Attempt {
  const [first, ...more] = unset, name = unset.join(", ");
  const what = more.length < 2 ? name : `${first} and ${more.length} more variables`;
  return { what: `without ${what}`, subject: { kind: "variables", name }, variables: {}, unset };
}

/**
 * Looks for the variable without which a program ends better, among several of which that is known: each run takes half
 * of those that are left away. Where several are at fault, the last run ends no better, and all are suspected.
 */
export async function seekOne(
  all: readonly string[],
  run: (attempt: Attempt) => Promise<Run>,
  isBetter: (run: Run) => boolean,
): Promise<void> {
  for (let left = all; left.length > 1;) {
    const half = left.slice(0, Math.ceil(left.length / 2)), isHere = isBetter(await run(without(half)));
    left = isHere ? half : left.slice(half.length);
    if (!isHere && left.length === 1) await run(without(left));
  }
}
