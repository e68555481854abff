import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import type { RecordedLine } from "../record/line.ts";
import type { DriverReplays } from "./driver_replays.ts";
import type { Events } from "./events.ts";
import { ANSWERS, answersIn, type QueryRecording } from "./query_recording.ts";

/** A recording and a driver that replays it. */
export interface ReplaySource {
  /** Path of the recording. */
  readonly path: string;
  readonly lines: readonly RecordedLine[];
  readonly events: Events;
  readonly replays: DriverReplays;
}

/** Replays a recording with queries of its own. Yields the answers of each submission that has some. */
export async function* answersOf(
  { path, lines, events, replays }: ReplaySource,
  queries: QueryRecording,
  edit: (line: RecordedLine) => RecordedLine = (line) => line,
): AsyncGenerator<{ readonly submission: number; readonly answers: BigUint64Array }> {
  using folder = temporaryFolder("queries");
  const recording = `${folder.path}/queries.jsonl`;
  queries.write(recording, path, lines, edit);
  for (const submission of queries.submissions) {
    const actions = events.list[events.submissions[submission]].actions + queries.addedActions(submission);
    const parts = [{ buffer: ANSWERS }];
    const [found] = await replays.contents({ recording, cut: { submission, actions }, parts, isMeasured: true });
    if (!found) throw new TypeError("the replay has no answers of its queries");
    yield { submission, answers: answersIn(found.bytes) };
  }
}
