import { callback, checkOptions, object, type OptionRules, text, yesOrNo } from "../../../ffi/check_options.ts";
import { DEFAULT_TIMEOUT } from "../replay/session.ts";
import { RecordingFile } from "../replay/recording_file.ts";
import { bisect, type Interval, type OnCut } from "./bisect.ts";
import type { FormatTolerance } from "./contents/tolerance.ts";
import type { DriverComparison, DriverDifference } from "./finding.ts";
import { checkDrivers, PAIR_RULES } from "./check_pair.ts";
import { Pair } from "./pair.ts";
import { ProgressFile } from "./progress.ts";
import type { ComparedDriver } from "./driver_process/side.ts";

/** Options of {@linkcode compareDrivers}. */
export interface CompareOptions {
  /** Whether to look for the first command that differs inside the first submission that differs. Default: yes. */
  readonly bisect?: boolean;
  /** Steps by which the components of a format may differ, by VkFormat. */
  readonly steps?: FormatTolerance;
  /**
   * The share of the texels of a level that may differ, from 0 to 1. Default 0.
   * Drivers may disagree about single texels at the edges of triangles.
   */
  readonly share?: number;
  /** Milliseconds that a driver may take for a submission, and for a wait. Default 60000. */
  readonly timeout?: number;
  /** Whether to accept a recording that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Ends the comparison when it is aborted: both processes are ended, and the promise is rejected with its reason. */
  readonly signal?: AbortSignal;
  /**
   * A file with the progress of the search for the command. After the process was ended, the same call with the same
   * file goes on where the search was. The file is removed at the end.
   */
  readonly resume?: string;
  /** Called when a submission is compared. */
  readonly onSubmission?: (submission: number) => void;
  /** Called before each replay that looks for the command. */
  readonly onCut?: OnCut;
}

const RULES: OptionRules<CompareOptions> = {
  ...PAIR_RULES,
  bisect: yesOrNo,
  signal: object("an AbortSignal"),
  resume: text("a path"),
  onSubmission: callback("takes the number of a submission"),
  onCut: callback("takes how far the next replay goes"),
};

/**
 * Replays a recording on two drivers, each in a process of its own, compares
 * what was written after every submission, and finds the first command whose
 * result differs. Whole numbers and copies are compared exactly, the rest
 * within a tolerance. Contents that the specification leaves undefined are
 * zero on both drivers. Before the search for the command, each driver is
 * compared with itself: a driver whose second replay has other contents is the
 * finding.
 *
 * @throws {RecordingError} if the recording cannot be read, or neither driver can
 *   replay it.
 * @throws {TypeError} if a driver or a layer cannot be loaded.
 *
 * @example
 * ```ts ignore
 * import { compareDrivers, comparisonText } from "@pumice/gfx/compare";
 *
 * const drivers = [{ driver: "libvulkan_one.so" }, { driver: "libvulkan_other.so" }] as const;
 * const comparison = await compareDrivers("frame.jsonl", drivers);
 * console.log(comparisonText(comparison).join("\n"));
 * ```
 */
export async function compareDrivers(
  recording: string,
  drivers: readonly [ComparedDriver, ComparedDriver],
  options: CompareOptions = {},
): Promise<DriverComparison> {
  checkOptions("compareDrivers()", options, RULES);
  checkDrivers("compareDrivers()", drivers);
  const { steps = {}, share = 0, timeout = DEFAULT_TIMEOUT, unsealed = false, signal } = options;
  const pair = new Pair(drivers, { recording, unsealed, timeout, steps, share, signal });
  try {
    const finding = options.bisect === false
      ? await pair.run({}, options.onSubmission)
      : await search(pair, recording, options, progressOf(recording, drivers, options));
    const { submissions, pieces, replays } = pair.counts;
    return { drivers: pair.drivers, submissions, pieces, replays, unread: pair.unread, ...finding && { finding } };
  } finally {
    await pair.close();
  }
}

/** The file of a search that can go on later. Everything that decides the answer is part of the question. */
function progressOf(
  recording: string,
  drivers: readonly ComparedDriver[],
  { resume, unsealed = false, steps, share }: CompareOptions,
): ProgressFile | undefined {
  if (resume === undefined) return undefined;
  const { crc32 } = new RecordingFile(recording, unsealed);
  return new ProgressFile(resume, { crc32, drivers, steps, share });
}

/** Finds the submission, and the command in the submission. */
async function search(
  pair: Pair,
  recording: string,
  { unsealed = false, onSubmission, onCut }: CompareOptions,
  file: ProgressFile | undefined,
): Promise<DriverDifference | undefined> {
  const earlier = file?.read();
  if (earlier) Object.assign(pair.counts, earlier.counts);
  const first = earlier ? undefined : await pair.run({}, onSubmission);
  const submission = earlier?.submission ?? (first?.kind === "differs" ? first.submission! : undefined);
  if (submission === undefined) return first;
  const unlike = first && await pair.again(first);
  if (unlike) return unlike;
  const onInterval = (interval?: Interval) => file?.write({ submission, interval, counts: pair.counts });
  if (!earlier) onInterval();
  const inside = await bisect(pair, recording, submission, unsealed, { onCut, from: earlier?.interval, onInterval });
  file?.remove();
  if (inside) return inside;
  return first ? { ...first, isFlaky: true } : await pair.run({}, onSubmission);
}
