import { checkOptions, number, type OptionRules, yesOrNo } from "../../../ffi/check_options.ts";
import { requireDriver } from "../../../loader/api/load_vulkan.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { RecordingError } from "../replay/error.ts";
import type { RecordedStream } from "../replay/stream.ts";
import { loadVulkan } from "../../../loader/api/load_vulkan.ts";
import type { Vulkan, VulkanOptions } from "../../../loader/mod.ts";
import { coreName, tellsProgress } from "../record/commands.ts";
import { RecordingFile } from "../replay/recording_file.ts";
import { DEFAULT_TIMEOUT } from "../replay/session.ts";
import { capture, type Captured, copyable, queueOf } from "./capture.ts";
import { FrameCount, isEnd } from "./frames.ts";
import { FirstUses, withoutEnded, withoutWork } from "./kept_lines.ts";
import { restoringLines, type Saved, signalLines } from "./restoring.ts";
import { Queries } from "../state_tracker/queries.ts";
import type { StateTracker } from "../state_tracker/state_tracker.ts";

/**
 * Returns the lines of a part without those that wait for queries from before
 * the part, whose results are gone, and the names of their pools. The state tracker
 * has noted all lines before.
 *
 * @throws {TypeError} if the device itself copies such results.
 */
export function withoutStaleQueries(
  tracker: StateTracker,
  part: readonly RecordedLine[],
): { lines: RecordedLine[]; pools: ReadonlySet<string> } {
  const before = new Set(tracker.resources.named(/^VkQueryPool#/)), pools = new Set<string>(), since = new Queries();
  const isStale = (call: RecordedCall) => before.has(call.args.queryPool) && !since.knowsAll(call);
  const lines = part.filter((line, index) => {
    if (!("command" in line)) return true;
    for (const ended of tracker.note(index, line)) before.delete(ended);
    const core = coreName(line.command);
    if (core.startsWith("vkQueueSubmit")) {
      tracker.submit(line, ({ call, scene: { resources, state } }) => {
        if (call.command !== "vkCmdResetQueryPool") since.note(call, resources, state.pass);
        if (call.command !== "vkCmdCopyQueryPoolResults" || !isStale(call)) return;
        throw new TypeError(`the device copies results of ${call.args.queryPool} from before; take an earlier frame`);
      });
    }
    if (core !== "vkGetQueryPoolResults" || !isStale(line)) return true;
    pools.add(line.args.queryPool);
    return false;
  });
  return { lines, pools };
}

/** Options of {@linkcode trimRecording}. */
export interface TrimOptions {
  /** Number of the first frame, from 1. */
  readonly from: number;
  /** Number of the last frame, at least `from`. */
  readonly to: number;
  /** Whether to accept a file that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Milliseconds to wait for a fence or semaphore before the replay fails. Default 60000. */
  readonly timeout?: number;
}

const RULES: OptionRules<TrimOptions> = { from: number, to: number, unsealed: yesOrNo, timeout: number };

/** A part of a recording that stands alone. */
export interface TrimmedRecording {
  /** The part, for `writeRecording` or `replayRecording`. */
  readonly recording: RecordedStream;
  /** The last frame, fewer than asked for if the recording ends before. */
  readonly to: number;
  /** Bytes of contents that were saved. */
  readonly savedBytes: number;
  /** Buffers, images and query pools whose contents could not be saved, and why. What the frames do with them may differ. */
  readonly unsaved: ReadonlyMap<string, string>;
}

/**
 * Returns a part of a recording that stands alone: frames `from` to `to`. The
 * recording is replayed up to the first of these frames, best on the driver
 * that recorded it. The contents of all buffers and images are saved there, and
 * the part begins by bringing them back, with the objects that there are then.
 *
 * Buffers and images of the part can be copied, even if the program's cannot.
 *
 * @throws {RecordingError} if the recording cannot be read or replayed, or has
 *   no such frame.
 * @throws {TypeError} if an option is wrong.
 *
 * @example Frames 100 to 102 alone
 * ```ts ignore
 * import { trimRecording } from "@pumice/gfx/compare";
 * import { writeRecording } from "@pumice/gfx/layers";
 *
 * const { recording } = trimRecording({}, "app.jsonl", { from: 100, to: 102 });
 * writeRecording("part.jsonl", recording);
 * ```
 */
export function trimRecording(target: Vulkan | VulkanOptions, path: string, options: TrimOptions): TrimmedRecording {
  checkOptions("trimRecording()", options, RULES, ["from", "to"]);
  const { from, to, unsealed = false, timeout = DEFAULT_TIMEOUT } = options;
  for (const each of [from, to]) checkFrame(each);
  if (to < from) throw new TypeError(`trimRecording(): "to" is ${to}, before "from", which is ${from}`);
  const file = new RecordingFile(path, unsealed), place = placeOf(file, options), part = linesIn(file, place);
  if (place.start === 0) {
    return { recording: { lines: part, data: file.data }, to: place.to, savedBytes: 0, unsaved: new Map() };
  }
  const captured = onDriver(target, (vulkan) => capture(vulkan, file, place.start, timeout));
  const before = beginning(file, place.start, captured, part),
    { lines: left, pools } = withoutStaleQueries(captured.tracker, part);
  const lines = [...before, ...left.map(copyable)];
  const lost = [...pools].map((name) => [name, "results of queries from before are gone"] as const);
  const savedBytes = [...captured.saved.values()].flat().reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  return {
    recording: { lines, data: file.data },
    to: place.to,
    savedBytes,
    unsaved: new Map([...captured.unsaved, ...lost]),
  };
}

function checkFrame(frame: number): void {
  if (Number.isSafeInteger(frame) && frame >= 1) return;
  throw new TypeError(`trimRecording(): ${frame} is not the number of a frame; the first frame is 1`);
}

/** The lines of the frames: the index of the first, and the index behind the last. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly to: number;
}

function placeOf(file: RecordingFile, { from, to }: TrimOptions): Place {
  const count = new FrameCount();
  for (const [, line] of file.entries()) count.note(line);
  if (from > count.count) {
    throw new RecordingError(
      "failed",
      0,
      `Cannot trim "${file.path}": it has ${count.count} frames, and none is ${from}`,
    );
  }
  let frame = 1, start = 0, end = 0;
  let isBehind: boolean = false;
  for (const [index, line] of file.entries()) {
    const ends = isEnd(line, count.kind), isOutcome: boolean = isBehind && !ends && tellsOutcome(line);
    if (frame <= to || isOutcome && frame === to + 1) end = index + 1;
    if (ends) frame++;
    if ((ends || isOutcome) && frame === from) start = index + 1;
    isBehind = isOutcome || ends && count.kind === "submissions";
  }
  return { start, end, to: Math.min(to, count.count) };
}

/** Whether a line behind a submission tells what came of it: a wait, or what the program read. */
function tellsOutcome(line: RecordedLine): boolean {
  return "read" in line || "command" in line && tellsProgress(line.command);
}

function linesIn(file: RecordingFile, { start, end }: Place): RecordedLine[] {
  const lines: RecordedLine[] = [];
  for (const [index, line] of file.entries()) if (index >= start && index < end) lines.push(line);
  return lines;
}

function onDriver<T>(target: Vulkan | VulkanOptions, use: (vulkan: Vulkan) => T): T {
  const vulkan = "explain" in target ? target : requireDriver(loadVulkan(target));
  try {
    return use(vulkan as Vulkan);
  } finally {
    if (vulkan !== target) vulkan.close();
  }
}

/** The objects that there are before a line, with their contents. */
function beginning(
  file: RecordingFile,
  start: number,
  captured: Captured,
  part: readonly RecordedLine[],
): RecordedLine[] {
  const { tracker } = captured, uses = new FirstUses();
  for (const line of part) uses.note(line);
  const recorded = [...tracker.lists].filter(([name]) => uses.needs(name));
  const kept = new Set(recorded.flatMap(([, { steps }]) => steps.map(({ index }) => index)));
  const before = linesIn(file, { start: 0, end: start, to: 0 });
  const made = withoutEnded(withoutWork(before, (index) => kept.has(index)), tracker.resources.objects);
  return [
    ...made.map(copyable),
    ...[...captured.saved].flatMap(([device, saved], index) => contents(captured, device, saved, index)),
  ];
}

/** Brings the contents of a device back, and the state of its fences, semaphores and events. */
function contents(captured: Captured, device: string, saved: readonly Saved[], number: number): RecordedLine[] {
  const { tracker, survey } = captured, queue = queueOf(tracker, survey, device)!;
  const memoryTypes = survey.memoryTypes(survey.device(device).needs.facts);
  const mapped = saved.flatMap((each) => writeOf(captured, each) ?? []);
  const others = saved.filter((each) => !writeOf(captured, each));
  return [
    ...mapped,
    ...restoringLines({ device, ...queue, memoryTypes }, others, number + 1),
    ...signalLines(device, queue.queue, tracker.flow.sync),
  ];
}

/** Contents of memory that the program maps are written as the program would. */
function writeOf(
  { tracker, survey }: Captured,
  { piece: { resource, image }, bytes }: Saved,
): RecordedLine | undefined {
  const home = image ? undefined : tracker.bindings.of(resource);
  return home && survey.mapped.has(home.memory)
    ? { write: home.memory, offset: home.start, content: bytes! }
    : undefined;
}
