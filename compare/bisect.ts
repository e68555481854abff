import { readRecording, type RecordedCall } from "../loader/layers.ts";
import type { DifferingAction, DriverDifference } from "./finding.ts";
import { Follower } from "./follow/follower.ts";
import type { Executed } from "./follow/follower.ts";
import type { Pair } from "./pair.ts";
import { actionsOf, isSubmission } from "./sides/cut.ts";
import { lineNumber } from "./sides/run.ts";

/** Called before each replay, with how many actions it carries out. */
export type OnCut = (cut: { readonly actions: number; readonly of: number }) => void;

/**
 * Finds the first action of a submission after which the contents differ, by
 * halving: each step replays the recording up to an action, on both drivers.
 */
export async function bisect(
  pair: Pair,
  path: string,
  submission: number,
  unsealed: boolean,
  onCut?: OnCut,
): Promise<DriverDifference | undefined> {
  const actions = submittedActions(path, submission, unsealed);
  let same = 0, different = actions.length, found: DriverDifference | undefined;
  while (different - same > 1 || !found) {
    const middle = different - same > 1 ? Math.floor((same + different) / 2) : different;
    onCut?.({ actions: middle, of: actions.length });
    const finding = await pair.run({ submission, actions: middle });
    if (finding) [different, found] = [middle, finding];
    else if (middle === different) return undefined; // the whole submission no longer differs
    else same = middle;
  }
  return { ...found, action: described(actions, different - 1) };
}

/** The actions of a submission of a recording, in the order in which they are carried out. */
function submittedActions(path: string, submission: number, unsealed: boolean): Executed[] {
  const follower = new Follower(), { lines } = readRecording(path, { unsealed });
  let count = 0;
  for (const [index, line] of lines.entries()) {
    follower.note(index, line);
    if (isSubmission(line) && count++ === submission) return actionsOf(follower, line as RecordedCall);
    if (isSubmission(line)) follower.submit(line);
  }
  return [];
}

function described(actions: readonly Executed[], index: number): DifferingAction {
  const { call: { command, args }, index: line } = actions[index];
  return { command, args, line: lineNumber(line), index, of: actions.length };
}
