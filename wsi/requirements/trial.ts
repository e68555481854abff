import { failed, judge, type Requirement, risk } from "../../loader/requirements/requirement.ts";
import type { TrialPlace } from "../../loader/requirements/run_check.ts";
import { type Outcome, type Verdict, verdictOf } from "../../loader/requirements/verdict.ts";
import { TrialBench } from "./trial_bench.ts";

/** A rule that is tried with real images and fences. */
export interface Trial extends Requirement<[bench: TrialBench]> {}

const ADVICE = "the driver must do what VK_ANDROID_native_buffer says";

/** Checks rules on a device of their own. If the driver creates no device, all rules fail. */
export function runTrials(trials: readonly Trial[], place: TrialPlace): Verdict[] {
  if (trials.length === 0) return [];
  let bench: TrialBench;
  try {
    bench = risk("vkCreateDevice with VK_ANDROID_native_buffer", place.options, () => new TrialBench(place));
  } catch (error) {
    const found = `no device with VK_ANDROID_native_buffer: ${(error as Error).message}`;
    return trials.map((trial) => verdictOf(trial, { status: "fail", found, advice: ADVICE }));
  }
  using tried = bench;
  const { progress, lost } = place.options;
  return judge(trials, [tried], { own: tried.own, advice: ADVICE, progress, lost, attempt });
}

/** Carries out a trial. An error that the trial throws is a failure. */
function attempt(_: Trial, check: () => Outcome): Outcome {
  try {
    return check();
  } catch (error) {
    return failed((error as Error).message);
  }
}
