import type { DeqpOptions, DeqpOutcome, DeqpResult, DeqpRun } from "./options.ts";
import { type DeqpCase, type DeqpStatus, isGood } from "./status.ts";

const OUTCOMES: readonly DeqpOutcome[] = ["pass", "fail", "expected", "fixed", "flake", "skip", "missing"];
const BAD: readonly DeqpOutcome[] = ["fail", "missing", "fixed"];

type Known = Pick<DeqpOptions, "baseline" | "flakes">;

/** Whether a case is run again: it failed, and the failure was not known. */
export function isTriedAgain({ name, status }: DeqpCase, { baseline, flakes }: Known): boolean {
  return !isGood(status) && baseline?.get(name) !== status && !flakes?.(name);
}

/** Judges the attempts of a case. */
export function judge(name: string, attempts: readonly DeqpCase[], known: Known): DeqpResult {
  const last = attempts.at(-1) ?? { name, status: "Missing" as const, message: "" };
  const { status, message, seconds = 0 } = last, statuses = attempts.map((each) => each.status);
  return { name, status, outcome: outcomeOf(last, statuses, known), message, seconds, attempts: statuses };
}

function outcomeOf({ name, status }: DeqpCase, attempts: readonly DeqpStatus[], known: Known): DeqpOutcome {
  const { baseline, flakes } = known, expected = baseline?.get(name);
  if (status === "Skip") return "skip";
  if (isGood(status)) {
    if (attempts.some((each) => !isGood(each))) return "flake";
    return expected !== undefined && !isGood(expected) && !flakes?.(name) ? "fixed" : "pass";
  }
  if (expected === status) return "expected";
  if (flakes?.(name)) return "flake";
  return status === "Missing" ? "missing" : "fail";
}

/** Sums up the results. */
export function runOf(results: readonly DeqpResult[]): DeqpRun {
  const of = (wanted: DeqpOutcome) => results.filter(({ outcome }) => outcome === wanted).length;
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, of(outcome)])) as DeqpRun["counts"];
  return { results, counts, isGood: BAD.every((outcome) => counts[outcome] === 0) };
}
