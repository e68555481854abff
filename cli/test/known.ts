import { parsePatterns } from "../../workbench/runs/deqp/case_list.ts";
import { parseResults } from "../../workbench/runs/deqp/results_file.ts";
import type { DeqpCase } from "../../workbench/runs/deqp/status.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { textIn } from "../../workbench/process/files.ts";
import type { RunRules } from "../../workbench/runs/deqp/run_tasks.ts";

/** Reads the files of `--baseline`, `--flakes` and `--skips`. Throws {@linkcode WrongUse} for one that is unreadable. */
export function knownOf({ values }: Request): Pick<RunRules, "baseline" | "flakes" | "skips"> {
  const baseline = values.baseline as string | undefined;
  return {
    baseline: baseline === undefined ? undefined : statuses(readResults("--baseline", baseline)),
    flakes: patterns("--flakes", values.flakes as string | undefined),
    skips: patterns("--skips", values.skips as string | undefined),
  };
}

/** Reads a file of results. Throws {@linkcode WrongUse} when it is none. */
export function readResults(option: string, path: string): DeqpCase[] {
  return reading(option, path, (file) => parseResults(textIn(option, file)));
}

/** Reads something that an option names. Throws {@linkcode WrongUse} with the reason why it cannot be read. */
export function reading<Value>(option: string, what: string, read: (what: string) => Value): Value {
  try {
    return read(what);
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    throw new WrongUse(`${option}: ${what}: ${(error as Error).message}`);
  }
}

/**
 * A whole number of an option. Throws {@linkcode WrongUse} for anything else, for less than `least`, and for more than
 * `most`.
 */
export function wholeNumber(
  option: string,
  text: string | undefined,
  least: number,
  most = Infinity,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new WrongUse(`${option}: "${text}" is not a whole number ${range}`);
}

/** Options of a run that mean something over a queue alone. */
const QUEUED = ["for", "join", "leave", "patience", "credentials", "key", "authority"];

/** Refuses options for a queue in a run on this machine. */
export function refuseQueued({ values }: Pick<Request, "values">): void {
  const found = QUEUED.find((name) => values[name] !== undefined);
  if (found) throw new WrongUse(`--${found} is for a run over a queue; give the queue's address with --queue`);
}

/** Returns the further executions of a failed case or test: one, or none if the first failure ends the run. */
export function retriesOf({ values }: Pick<Request, "values">): number {
  return wholeNumber("--retries", values.retries as string | undefined, 0) ?? (values.bail === true ? 0 : 1);
}

function patterns(option: string, path: string | undefined): RunRules["skips"] {
  return path === undefined ? undefined : reading(option, path, (file) => parsePatterns(textIn(option, file)));
}

function statuses(cases: readonly DeqpCase[]): NonNullable<RunRules["baseline"]> {
  return new Map(cases.map(({ name, status }) => [name, status]));
}
