import type { RecordedCall } from "../record/line.ts";
import { lineNumber, type Recording, RecordingFile } from "../replay/recording_file.ts";
import type { DifferingAction, DriverDifference } from "./finding.ts";
import { isAction } from "../state_tracker/effects.ts";
import { StateTracker } from "../state_tracker/state_tracker.ts";
import { boundShader, boundStateOf, contentsIn } from "./bound_state.ts";
import type { Pair } from "./pair.ts";
import { actionsOf, isSubmission } from "./driver_process/cut.ts";

/** Called before each replay, with the number of actions that the replay carries out. */
export type OnCut = (cut: { readonly actions: number; readonly of: number }) => void;

/** A submission of a recording, with the state before the submission. */
interface Followed {
  readonly data: Recording["data"];
  readonly tracker: StateTracker;
  readonly submission: RecordedCall;
}

/** The further options of a search. */
export interface BisectOptions {
  /** Called before each replay. */
  readonly onCut?: OnCut;
  /** The interval at which an earlier search stopped. */
  readonly from?: Interval;
  /** Called after each replay. */
  readonly onInterval?: (interval: Interval) => void;
}

/** The interval of the search: after `same` actions nothing differs, after `different` ones something does. */
export interface Interval {
  readonly same: number;
  readonly different: number;
}

/**
 * Finds the first action of a submission after which the drivers differ, by
 * halving: each step replays the recording up to an action, on both drivers.
 */
export async function bisect(
  pair: Pair,
  path: string,
  submission: number,
  unsealed: boolean,
  { onCut, from, onInterval }: BisectOptions = {},
): Promise<DriverDifference | undefined> {
  const followed = follow(path, submission, unsealed), of = actionsOf(followed.tracker, followed.submission).length;
  let { same, different } = from ?? { same: 0, different: of }, found: DriverDifference | undefined;
  while (different - same > 1 || !found) {
    // The upper half is the smaller one: a command at the end takes one replay more.
    const middle = Math.ceil((same + different) / 2);
    onCut?.({ actions: middle, of });
    const finding = await pair.run({ cut: { submission, actions: middle } });
    if (finding) [different, found] = [middle, finding];
    else if (middle === different) return undefined; // the whole submission no longer differs
    else same = middle;
    onInterval?.({ same, different });
  }
  const index = different - 1, action = described(followed, index, of);
  onCut?.({ actions: index, of });
  const before = await pair.contentsAt({ submission, actions: index }, contentsIn(action.boundState));
  return { ...found, action: { ...action, before } };
}

/** Follows a recording up to a submission. */
function follow(path: string, submission: number, unsealed: boolean): Followed {
  const tracker = new StateTracker(), lines = new RecordingFile(path, unsealed), { data } = lines;
  let count = 0;
  for (const [index, line] of lines.entries()) {
    tracker.note(index, line);
    if (isSubmission(line) && count++ === submission) return { data, tracker, submission: line };
    if (isSubmission(line)) tracker.submit(line);
  }
  throw new TypeError(`There is no submission ${submission}: the recording has ${count}`);
}

/** Walks through the commands, because the state of a command buffer is known only at each of them. */
function described(
  { data, tracker, submission }: Followed,
  index: number,
  of: number,
): Omit<DifferingAction, "before"> {
  let count = 0;
  for (const each of tracker.executed(submission)) {
    if (!isAction(each.call.command) || count++ < index) continue;
    const { call: { command, args } } = each;
    const codeOf = (module: string) => tracker.resources.info(module)?.pCode;
    const boundState = boundStateOf(each, tracker, (stage) => boundShader(stage, codeOf, data));
    return { command, args, line: lineNumber(each.index), boundState, index, of };
  }
  throw new TypeError(`There is no action ${index}: the submission has ${count}`);
}
