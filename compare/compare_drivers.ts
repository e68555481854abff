import { callback, checkOptions, object, type OptionRules, yesOrNo } from "../ffi/check_options.ts";
import { DEFAULT_TIMEOUT } from "../loader/replay/session.ts";
import { bisect, type OnCut } from "./bisect.ts";
import type { FormatTolerance } from "./contents/tolerance.ts";
import type { DriverComparison } from "./finding.ts";
import { checkDrivers, PAIR_RULES } from "./check_pair.ts";
import { Pair } from "./pair.ts";
import type { ComparedDriver } from "./sides/side.ts";

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
  /** Called when a submission is compared. */
  readonly onSubmission?: (submission: number) => void;
  /** Called before each replay that looks for the command. */
  readonly onCut?: OnCut;
}

const RULES: OptionRules<CompareOptions> = {
  ...PAIR_RULES,
  bisect: yesOrNo,
  signal: object("an AbortSignal"),
  onSubmission: callback("takes the number of a submission"),
  onCut: callback("takes how far the next replay goes"),
};

/**
 * Replays a recording on two drivers, each in a process of its own, compares
 * what was written after every submission, and finds the first command whose
 * result differs. Whole numbers and copies are compared exactly, the rest
 * within a tolerance. Contents that the specification leaves undefined are
 * zero on both drivers.
 *
 * @throws {RecordingError} if the recording cannot be read, or neither driver can
 *   replay it.
 * @throws {TypeError} if a driver or a layer cannot be loaded.
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
    const first = await pair.run({}, options.onSubmission), { submissions, pieces } = pair.counts;
    const isInside = first?.kind === "differs" && options.bisect !== false;
    const inside = isInside ? await bisect(pair, recording, first.submission!, unsealed, options.onCut) : undefined;
    const finding = inside ?? first;
    return {
      drivers: pair.drivers,
      submissions,
      pieces,
      replays: pair.counts.replays,
      unread: pair.unread,
      ...finding && { finding },
    };
  } finally {
    await pair.close();
  }
}
