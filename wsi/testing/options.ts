import { checkOptions, list, object, type OptionRules, text, typed, yesOrNo } from "../../ffi/check_options.ts";
import { type GpuRequirements, REQUIREMENTS } from "../gpu/requirements.ts";

/** Milliseconds that a test may take; what is left out is not limited. */
export interface Budget {
  /** Of the device, between the timestamps around what `submit()` and all that is built on it had done. */
  readonly gpu?: number;
  /** Of the processor, in all threads of the process: a software driver draws there. */
  readonly cpu?: number;
  /** From the test's beginning to its end. */
  readonly wall?: number;
}

/** How far a picture may be from its golden file. */
export interface Tolerance {
  /** How much a channel may be off, 0 to 255, before the pixel counts as different. Default 2. */
  readonly channel?: number;
  /** What share of the pixels may be different, 0 to 1. Default 0. */
  readonly pixels?: number;
}

/** What {@linkcode gpuTest} can be told. A driver whose device lacks what is required is skipped, and the report says why. */
export interface GpuTestOptions extends GpuRequirements {
  /**
   * The drivers, libraries or manifests by the names the tests get. Default:
   * those of PUMICE_DRIVERS, paths with `:` between them, or else every driver
   * that this machine's manifests lead to.
   */
  readonly drivers?: Readonly<Record<string, string>>;
  /** Native layers on top of the driver, by name, library or manifest. */
  readonly layers?: readonly string[];
  /** After how many milliseconds a test that is still not at its end counts as hung and its process is ended. Default 60000. */
  readonly timeout?: number;
  /** What it may take. */
  readonly budget?: Budget;
  /** The folder of golden files, seen from the test's file. Default `"goldens"`. */
  readonly goldens?: string;
  /** How far pictures may be from them. */
  readonly tolerance?: Tolerance;
  /** Where pictures and scripts of failed tests go. Default `out/gpu-tests`, or what PUMICE_GPU_OUT says. */
  readonly output?: string;
  /** Whether it is not run at all. */
  readonly ignore?: boolean;
}

const NUMBER = typed("a number", "number");
const RULES: OptionRules<GpuTestOptions> = {
  ...REQUIREMENTS,
  drivers: object("an object of paths by the drivers' names"),
  layers: list("a list of native layers", text("a name or a path")),
  timeout: NUMBER,
  budget: object("an object of gpu, cpu and wall"),
  goldens: text("the path of a folder"),
  tolerance: object("an object of channel and pixels"),
  output: text("the path of a folder"),
  ignore: yesOrNo,
};
const BUDGET: OptionRules<Budget> = { gpu: NUMBER, cpu: NUMBER, wall: NUMBER };
/** Which tolerances there are, and what fits. */
export const TOLERANCE: OptionRules<Tolerance> = { channel: NUMBER, pixels: NUMBER };

/** Checks what {@linkcode gpuTest} was told. Throws a `TypeError` about the first option that makes no sense. */
export function checkTestOptions(options: GpuTestOptions): void {
  checkOptions("gpuTest()", options, RULES);
  checkOptions("a budget", options.budget ?? {}, BUDGET);
  checkOptions("a tolerance", options.tolerance ?? {}, TOLERANCE);
}

/** A driver by the name that tests show. */
export interface NamedDriver {
  /** Such as `"lvp"`. */
  readonly name: string;
  /** Its library or manifest, or `"auto"`. */
  readonly path: string;
}

/** A test as it was written down: its options, and what it does. */
export interface GpuTestSpec<Context> {
  /** Its name, without the driver's. */
  readonly name: string;
  /** The file that it is in. */
  readonly file: string;
  /** Its options. */
  readonly options: GpuTestOptions;
  /** What it does. */
  readonly body: (context: Context) => void | Promise<void>;
}
