import type { DeqpOptions, DeqpOutcome, DeqpResult, DeqpRun } from "./options.ts";
import { type DeqpCase, type DeqpStatus, isGood } from "./status.ts";

const OUTCOMES: readonly DeqpOutcome[] = [
  ...["passed", "failed", "crashed", "timed out", "expected", "fixed", "flaky", "skipped", "missing"] as const,
];
/** The outcomes of results that ran and did not pass. */
const FAILURES: readonly DeqpOutcome[] = ["failed", "crashed", "timed out"];
/** The outcomes that nobody expected. */
const BAD: readonly DeqpOutcome[] = [...FAILURES, "missing", "fixed"];
/** The outcomes of statuses that are no plain failure. */
const OF_STATUS: Readonly<Partial<Record<DeqpStatus, DeqpOutcome>>> = {
  Crash: "crashed",
  Timeout: "timed out",
  Missing: "missing",
};

/** Whether a result ran and did not pass, which nobody expected. */
export function isFailure(outcome: DeqpOutcome): boolean {
  return FAILURES.includes(outcome);
}

/** Whether a run with a result of this outcome is not good. */
export function isBad(outcome: DeqpOutcome): boolean {
  return BAD.includes(outcome);
}

/** The outcome of a result, with dEQP's own word behind it where that says more, such as `failed (DeviceLost)`. */
export function outcomeText({ outcome, status }: Pick<DeqpResult, "outcome" | "status">): string {
  const isSaid = Object.hasOwn(PLAIN, status) || OF_STATUS[status] === outcome || isGood(status);
  return isSaid && outcome !== "expected" ? outcome : `${outcome} (${statusText(status)})`;
}

/** A status in the words of outcomes; dEQP's own word where that says more, such as `DeviceLost`. */
export function statusText(status: DeqpStatus): string {
  return PLAIN[status] ?? OF_STATUS[status] ?? status;
}

/** Statuses that say no more than their outcomes. */
const PLAIN: Readonly<Partial<Record<DeqpStatus, DeqpOutcome>>> = { Pass: "passed", Fail: "failed", Skip: "skipped" };

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
  if (status === "Skip") return "skipped";
  if (isGood(status)) {
    if (attempts.some((each) => !isGood(each))) return "flaky";
    return expected !== undefined && !isGood(expected) && !flakes?.(name) ? "fixed" : "passed";
  }
  if (expected === status) return "expected";
  if (flakes?.(name)) return "flaky";
  return OF_STATUS[status] ?? "failed";
}

/** The result of a run in words. */
export function verdictText(isGood: boolean): string {
  return isGood ? "The run passed" : "The run failed";
}

/** Sums up the results. */
export function runOf(results: readonly DeqpResult[]): DeqpRun {
  const of = (wanted: DeqpOutcome) => results.filter(({ outcome }) => outcome === wanted).length;
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, of(outcome)])) as DeqpRun["counts"];
  return { results, counts, isGood: BAD.every((outcome) => counts[outcome] === 0) };
}
