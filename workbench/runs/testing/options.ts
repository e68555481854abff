import { checkOptions, list, object, type OptionRules, text, typed, yesOrNo } from "../../../ffi/check_options.ts";
import { type GpuRequirements, REQUIREMENTS } from "../../../wsi/gpu/requirements.ts";

/** The milliseconds that a test may take; a member that is left out is not limited. */
export interface Budget {
  /** Time of the device, measured by timestamps around the work of `submit()` and the functions that use it. */
  readonly gpu?: number;
  /** Time of the processor in all threads of the process, which includes a software driver's drawing. */
  readonly cpu?: number;
  /** Time from the test's beginning to its end. */
  readonly wall?: number;
}

/** The most that a picture may differ from its golden file. */
export interface Tolerance {
  /** The largest difference of a channel, 0 to 255, for which a pixel still counts as equal. Default 2. */
  readonly channel?: number;
  /** The fraction of pixels that may differ, 0 to 1. Default 0. */
  readonly pixels?: number;
}

/**
 * The options of {@linkcode gpuTest}. A driver whose device lacks what is required is skipped, and the report says why.
 */
export interface GpuTestOptions extends GpuRequirements {
  /**
   * The drivers: libraries or manifests by the names for the tests. Default: those of PUMICE_DRIVERS, paths with `:`
   * between them, otherwise every driver of this machine's manifests.
   */
  readonly drivers?: Readonly<Record<string, string>>;
  /**
   * Devices as which each driver is tested, one after the other: files or profiles as `deviceTwin` takes them, with
   * `exact:`, `used:` or `common:` before them for the strictness. Default: only as themselves.
   */
  readonly twins?: readonly string[];
  /** Native layers on top of the driver, by name, library or manifest. */
  readonly layers?: readonly string[];
  /** Milliseconds before a test that has not ended counts as hung, and its process is ended. Default 60000. */
  readonly timeout?: number;
  /** The time that the test may take. */
  readonly budget?: Budget;
  /** The folder of golden files, relative to the test's file. Default `"goldens"`. */
  readonly goldens?: string;
  /** The most that pictures may differ from their golden files. */
  readonly tolerance?: Tolerance;
  /**
   * The folder for pictures and scripts of failed tests. Default: the value of PUMICE_GPU_OUT, otherwise
   * `out/gpu-tests`.
   */
  readonly output?: string;
  /** Whether the test is skipped. */
  readonly ignore?: boolean;
}

const NUMBER = typed("a number", "number");
const RULES: OptionRules<GpuTestOptions> = {
  ...REQUIREMENTS,
  drivers: object("an object of paths by the drivers' names"),
  twins: list("a list of devices", text("a file or a profile")),
  layers: list("a list of native layers", text("a name or a path")),
  timeout: NUMBER,
  budget: object("an object of gpu, cpu and wall"),
  goldens: text("the path of a folder"),
  tolerance: object("an object of channel and pixels"),
  output: text("the path of a folder"),
  ignore: yesOrNo,
};
const BUDGET: OptionRules<Budget> = { gpu: NUMBER, cpu: NUMBER, wall: NUMBER };
/** The options of a tolerance and their valid values. */
export const TOLERANCE: OptionRules<Tolerance> = { channel: NUMBER, pixels: NUMBER };

/** Checks the options of {@linkcode gpuTest}. Throws a `TypeError` for the first invalid option. */
export function checkTestOptions(options: GpuTestOptions): void {
  checkOptions("gpuTest()", options, RULES);
  checkOptions("a budget", options.budget ?? {}, BUDGET);
  checkOptions("a tolerance", options.tolerance ?? {}, TOLERANCE);
}

/** A driver with the name that tests show. */
export interface NamedDriver {
  /** The name, such as `"lvp"`. */
  readonly name: string;
  /** The driver's library or manifest, or `"auto"`. */
  readonly path: string;
  /** The device as which the driver is tested, as `twins` of the options has it. */
  readonly twin?: string;
  /** The name of the driver itself, where `name` has that of the device, too. */
  readonly own?: string;
}

/** The definition of a test: options and function. */
export interface GpuTestSpec<Context> {
  /** The test's name, without the driver's name. */
  readonly name: string;
  /** The file with the test. */
  readonly file: string;
  /** The test's options. */
  readonly options: GpuTestOptions;
  /** The test's function. */
  readonly body: (context: Context) => void | Promise<void>;
}

/** A test whose function is in another process. */
export type GpuTestOutline = Omit<GpuTestSpec<never>, "body">;
