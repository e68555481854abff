import { type Outcome, type Rule, type Verdict, verdictOf } from "../../loader/requirements/verdict.ts";
import type { TrialPlace } from "../../loader/requirements/run_check.ts";
import { TrialBench } from "./trial_bench.ts";

/** A rule that is tried with real images and fences. */
export interface Trial extends Rule {
  /** The rules that have to hold for it to be tried: a driver that fails them may not come back from it. */
  readonly needs?: readonly string[];
  /** Tries it. What it throws is a failure. */
  run(bench: TrialBench): Outcome;
  /** What it means that the process did not survive it, which is told as the end of a sentence. Default: a failure. */
  lost?(how: string): Outcome | undefined;
}

/** Tries rules on a device of its own. A driver that gives no device fails them all. */
export function runTrials(trials: readonly Trial[], place: TrialPlace): Verdict[] {
  if (trials.length === 0) return [];
  let bench: TrialBench;
  try {
    bench = new TrialBench(place);
  } catch (error) {
    const found = `no device with VK_ANDROID_native_buffer: ${(error as Error).message}`;
    return trials.map((trial) => verdictOf(trial, { status: "fail", found, advice: ADVICE }));
  }
  using _bench = bench;
  const failed = new Set<string>(), { progress, lost = {} } = place.options;
  return trials.map((trial) => {
    const known = Object.hasOwn(lost, trial.rule)
      ? lostTo(trial, lost[trial.rule], bench)
      : skipped(trial, failed, bench);
    if (!known) progress?.begin?.(trial.rule);
    const verdict = verdictOf(trial, known ?? attempt(trial, bench));
    if (!known) progress?.end?.(verdict);
    if (verdict.status === "fail") failed.add(trial.rule);
    return verdict;
  });
}

/** What is told of a trial that the driver did not come back from. */
function lostTo(trial: Trial, found: string, { own }: TrialBench): Outcome {
  return { own, ...trial.lost?.(found) ?? { status: "fail", found, advice: ADVICE } };
}

/** What is told of a trial that another one's failure leaves no chance. */
function skipped({ needs = [] }: Trial, failed: ReadonlySet<string>, { own }: TrialBench): Outcome | undefined {
  const lacks = needs.find((rule) => failed.has(rule));
  return lacks === undefined ? undefined : { status: "report", own, found: `not tried, for ${lacks} failed` };
}

const ADVICE = "the driver must do what VK_ANDROID_native_buffer says";

function attempt(trial: Trial, bench: TrialBench): Outcome {
  try {
    const outcome = trial.run(bench);
    return { own: bench.own, ...outcome, advice: outcome.status === "fail" ? outcome.advice ?? ADVICE : "" };
  } catch (error) {
    return { status: "fail", found: (error as Error).message, own: bench.own, advice: ADVICE };
  }
}

/** What a trial saw: pass or fail. */
export function seen(holds: boolean, found: string): Outcome {
  return { status: holds ? "pass" : "fail", found };
}
