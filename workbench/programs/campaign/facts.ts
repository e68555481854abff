import type { ComparedDriver } from "../../recordings/mod.ts";
import { type Died, Side } from "../../recordings/compare/driver_process/side.ts";
import { DRIVERS } from "../../recordings/compare/report/text.ts";
import type { FuzzFacts } from "../facts.ts";
import { blameOf, type FuzzFinding } from "./findings.ts";
import type { FuzzOutcome } from "./fuzz.ts";
import { isKnown } from "./known.ts";

/** Milliseconds that a process may take to start and to open its driver. */
const STARTING = 60_000;

/**
 * Asks a driver with its layers what it can do, in a process of its own: a
 * driver that ends its process when it is asked does not end this one.
 *
 * @throws {TypeError} if the driver cannot be loaded, or is too old.
 */
export async function factsOf(driver: ComparedDriver, timeout: number): Promise<FuzzFacts | Died> {
  return await withFacts([driver], timeout, ([answer]) => answer);
}

/**
 * The same for several drivers, one after the other. Calls `use` with the answers and with the processes, which can
 * replay programs, and ends the processes.
 */
export async function withFacts<T>(
  drivers: readonly ComparedDriver[],
  timeout: number,
  use: (answers: readonly (FuzzFacts | Died)[], sides: readonly Side[]) => T | Promise<T>,
): Promise<T> {
  const sides: Side[] = [], answers: (FuzzFacts | Died)[] = [];
  try {
    for (const driver of drivers) {
      sides.push(new Side(driver));
      answers.push(await answerOf(sides.at(-1)!, timeout));
    }
    return await use(answers, sides);
  } finally {
    for (const side of sides) await side.close();
  }
}

async function answerOf(side: Side, timeout: number): Promise<FuzzFacts | Died> {
  const answer = await side.ask({ facts: true }, STARTING + timeout);
  if ("facts" in answer) return answer.facts;
  if ("died" in answer) return answer;
  throw new TypeError(
    "unusable" in answer ? answer.unusable : `the process did not answer: ${JSON.stringify(answer)}`,
  );
}

/** Makes the outcome of a run whose drivers ended when they were asked. */
export function endedWhenAsked(answers: readonly (FuzzFacts | Died)[], known: readonly string[]): FuzzOutcome {
  const all = answers.flatMap((answer, side) => "died" in answer ? [findingOf(answer, side as 0 | 1)] : []);
  const findings = all.filter(({ signature }) => !isKnown(known, signature));
  return { programs: 0, known: 0, findings };
}

function findingOf({ died, how, output }: Died, side: 0 | 1): FuzzFinding {
  const reason = [how, output].filter((text) => text !== "").join("; ");
  const difference = { kind: died, side, reason, differences: [], contents: new Map() };
  const signature = `${died} on ${DRIVERS[side]}: when it was asked what it can do`;
  return { signature, count: 1, difference, blame: blameOf(difference), steps: {} };
}
