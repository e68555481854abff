import type { RecordedLine } from "../record/line.ts";
import { RecordingError } from "../replay/error.ts";
import { checkStream } from "../replay/check.ts";
import { RecordingFile } from "../replay/recording_file.ts";
import { writeRecording } from "../replay/stream.ts";
import { Survey } from "../replay/survey.ts";
import { withNames } from "../replay/unfinished.ts";
import { StateTracker } from "../state_tracker/state_tracker.ts";
import { copyable } from "../trim/capture.ts";
import { restoringLines } from "../trim/restoring.ts";
import { withoutStaleQueries } from "../trim/trim.ts";
import type { DeviceState, Kept, RingState } from "./checkpoint.ts";
import type { SavedBlackBox } from "./saved.ts";
import { readRing, type RingContents } from "./read_ring.ts";
import { type MarkedBuffer, unfinishedIn, unmarkedTexts } from "./unfinished.ts";

/** The facts about a recording that was made of a ring. */
export type WrittenRecording = Pick<SavedBlackBox, "submissions" | "unsaved" | "unmarked" | "trouble" | "unfinished">;

/**
 * Writes what a ring holds as a recording that begins with the program, or with the state that the ring has saved.
 * `latest` returns the latest mark of a command buffer; `undefined` if it cannot be read.
 */
export function writeRing(
  folder: string,
  path: string,
  latest: (marked: MarkedBuffer, ring: RingContents) => number | undefined,
): WrittenRecording {
  const ring = readRing(folder), { state, submitted } = ring;
  const { lines: part, unsaved } = state ? partOf(state, ring.lines) : { lines: ring.lines, unsaved: {} };
  const lines = [...state ? beginning(state, ring.data) : [], ...part];
  writeRecording(path, {
    lines: lines.map((line) => withBytes(line, ring.data) as RecordedLine),
    data: noData,
  });
  const submissions = part.filter((line) => "command" in line && /^vkQueueSubmit/.test(line.command)).length;
  const unfinished = unfinishedIn(submitted, (marked) => latest(marked, ring), lines);
  const unmarked = unmarkedTexts(submitted);
  return { submissions, unsaved, unmarked, trouble: troubleOf(path), ...unfinished && { unfinished } };
}

function noData(hash: string): never {
  throw new RecordingError("missing-bytes", 0, `Cannot find the bytes ${hash} of the black box`);
}

/** The lines behind a state, without waits for results of queries from before. */
function partOf(
  { objects, commands, unsaved }: RingState,
  lines: readonly RecordedLine[],
): { lines: readonly RecordedLine[]; unsaved: Record<string, string> } {
  const tracker = new StateTracker();
  [...objects, ...commands].forEach((line, index) => tracker.note(index, line));
  try {
    const { lines: left, pools } = withoutStaleQueries(tracker, lines);
    const lost = [...pools].map((name) => [name, "results of queries from before are gone"]);
    return { lines: left.map(copyable), unsaved: { ...unsaved, ...Object.fromEntries(lost) } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { lines: lines.map(copyable), unsaved: { ...unsaved, queries: error.message } };
  }
}

/** The lines that bring the saved state about. */
function beginning({ objects, commands, devices }: RingState, data: RingContents["data"]): RecordedLine[] {
  const survey = new Survey();
  for (const line of objects) survey.note(line);
  return [
    ...objects.map(copyable),
    ...devices.flatMap((device, index) => contents(device, index, survey, data)),
    ...commands,
  ];
}

function contents(
  { device, queue, family, kept, sync }: DeviceState,
  index: number,
  survey: Survey,
  data: RingContents["data"],
): RecordedLine[] {
  const bytesOf = ({ data: number }: Kept) => number === undefined ? undefined : data(number);
  const mapped = kept.filter(({ home }) => home), others = kept.filter(({ home }) => !home);
  const memoryTypes = survey.memoryTypes(survey.device(device).needs.facts);
  const saved = others.map((each) => ({ piece: each.piece, bytes: bytesOf(each), layouts: each.layouts }));
  return [
    ...mapped.map((each) => ({ write: each.home!.memory, offset: each.home!.start, content: bytesOf(each)! })),
    ...restoringLines({ device, queue, family, memoryTypes }, saved, index + 1),
    ...sync,
  ];
}

/** Returns a line with bytes in place of their numbers. */
function withBytes(value: unknown, data: RingContents["data"]): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((each) => withBytes(each, data));
  const { data: number } = value as { data?: unknown };
  if (typeof number === "string") return data(number);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBytes(each, data)]));
}

/** Returns why a recording cannot be replayed, as the check before a replay finds. */
function troubleOf(path: string): string | undefined {
  try {
    checkStream(withNames(new RecordingFile(path, false)));
  } catch (error) {
    if (error instanceof RecordingError) return error.message;
    throw error;
  }
}
