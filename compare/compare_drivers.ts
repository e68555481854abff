import {
  callback,
  checkOptions,
  either,
  list,
  number,
  oneOf,
  type OptionRule,
  type OptionRules,
  record,
  text,
  yesOrNo,
} from "../ffi/check_options.ts";
import { bisect, type OnCut } from "./bisect.ts";
import type { FormatTolerance } from "./contents/tolerance.ts";
import type { DriverComparison } from "./finding.ts";
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
  /** Called when a submission is compared. */
  readonly onSubmission?: (submission: number) => void;
  /** Called before each replay that looks for the command. */
  readonly onCut?: OnCut;
}

const DEFAULT_TIMEOUT = 60_000;

const RULES: OptionRules<CompareOptions> = {
  bisect: yesOrNo,
  steps: record("steps by VkFormat", number),
  share: between(0, 1),
  timeout: number,
  unsealed: yesOrNo,
  onSubmission: callback("takes the number of a submission"),
  onCut: callback("takes how far the next replay goes"),
};

function between(least: number, most: number): OptionRule {
  const isInside = (value: unknown) => typeof value === "number" && value >= least && value <= most;
  return (value) => isInside(value) ? undefined : `a number from ${least} to ${most}`;
}

const DRIVER_RULES: OptionRules<ComparedDriver> = {
  driver: either(text('a driver\'s path, or "auto"'), list("paths of drivers", text("a driver's path"))),
  layers: list("names of layers and files of layers", text("the name or file of a layer")),
  platform: oneOf("auto", "android", "linux"),
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
  if (drivers.length !== 2) throw new TypeError(`Cannot compare ${drivers.length} drivers: give two`);
  for (const each of drivers) checkOptions("a driver of compareDrivers()", each, DRIVER_RULES, ["driver"]);
  const { steps = {}, share = 0, timeout = DEFAULT_TIMEOUT, unsealed = false } = options;
  const pair = new Pair(drivers, { recording, unsealed, timeout, steps, share });
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
