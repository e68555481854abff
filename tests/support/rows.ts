/**
 * Many small trials in one process of their own, for what may end a process:
 * the program says after each how it went, and the test reads all of it.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProgram, type Surroundings } from "./subprocess.ts";

/** A trial: what it returns, or the error it throws, is what the test sees. */
export type Trial = () => unknown;

/** Carries out trials one after the other, and says what came of each. For the program. */
export async function carryOutRows(trials: Readonly<Record<string, Trial>>): Promise<void> {
  for (const [name, trial] of Object.entries(trials)) console.log(`${name}\t${await outcomeOf(trial)}`);
}

async function outcomeOf(trial: Trial): Promise<string> {
  try {
    return String(await trial());
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`.replaceAll("\n", " ");
  }
}

/** Runs such a program; what came of each trial by its name. Fails the test when the program did not reach its end. */
export function rowsOf(
  path: string,
  args: readonly string[] = [],
  surroundings: Surroundings = {},
): Map<string, string> {
  const { code, stdout, output } = runProgram(path, args, { seconds: 300, ...surroundings });
  assertEquals(code, 0, `ended after:\n${output}`);
  return new Map(stdout.trim().split("\n").map((line) => line.split("\t") as [string, string]));
}

/** Asserts that trials came out so: each outcome holds the text that stands beside its name. */
export function assertRows(found: ReadonlyMap<string, string>, expected: Readonly<Record<string, string>>): void {
  assertEquals([...found.keys()].sort(), Object.keys(expected).sort());
  for (const [name, text] of Object.entries(expected)) assertStringIncludes(found.get(name)!, text, name);
}
