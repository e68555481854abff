import { basename } from "node:path";
import { callback, checkOptions, object, type OptionRules, text } from "../../../ffi/check_options.ts";
import type { RecordedLine } from "../record/line.ts";
import { readRecording, type RecordedStream } from "../replay/stream.ts";
import { DEFAULT_TIMEOUT } from "../replay/session.ts";
import { checkDrivers, PAIR_RULES } from "../compare/check_pair.ts";
import type { FormatTolerance } from "../compare/contents/tolerance.ts";
import type { DriverDifference } from "../compare/finding.ts";
import { provenScript } from "../script/proven_script.ts";
import type { ComparedDriver } from "../compare/driver_process/side.ts";
import { type Condition, parseCondition } from "./condition.ts";
import { Output } from "./output.ts";
import { Reducer, SURE } from "./reducer.ts";
import { Replays } from "./replays.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";

/** Options of {@linkcode reduceRecording}. */
export interface ReduceOptions {
  /**
   * The condition that must stay true, default `"differs"`. Words are combined with `&&`, `||`, `!` and brackets.
   *
   * - `differs`: a buffer or image differs that differed before.
   * - `crashes`, `hangs`: a driver does so.
   * - `lost`: a driver loses its device.
   * - `fails`: one driver refuses what the other does.
   * - `validation`, `message`: the validation layer has an error that it had before.
   * - `A`, `B`: the driver that crashes, hangs or fails.
   * - A text in double quotes: the reason or an error contains the text.
   */
  readonly while?: string;
  /** Steps by which the components of a format may differ, by VkFormat. */
  readonly steps?: FormatTolerance;
  /** The share of the texels of a level that may differ, from 0 to 1. Default 0. */
  readonly share?: number;
  /** Milliseconds that a driver may take for a submission, and for a wait. Default 60000. */
  readonly timeout?: number;
  /** Whether to accept a recording that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /**
   * The name or manifest of a validation layer. A smaller recording must have
   * no error of that layer, unless the whole recording has some. Default:
   * `VK_LAYER_KHRONOS_validation` where it is installed. `false` leaves out the
   * validation, so that what is left may break rules of Vulkan, and takes half
   * the time.
   */
  readonly validation?: string | false;
  /** Called when a smaller recording was found, with the number of its lines. */
  readonly onSmaller?: (lines: number) => void;
  /**
   * Stops the reduction. The smallest recording so far is written, without a
   * script. Before the condition was true of the whole recording, nothing is
   * written, and the promise rejects with the reason of the abort.
   */
  readonly signal?: AbortSignal;
}

/** The script of a recording, or why there is none. */
export type ScriptOutcome =
  /** The script's path. */
  | { readonly path: string }
  /** The reason why no script was written. */
  | { readonly missing: string };

/** The outcome of a reduction. */
export interface ReducedRecording {
  /** A test beside the recording, which passes on the first driver and fails on the second. */
  readonly script: ScriptOutcome;
  /** Lines before and after. */
  readonly lines: readonly [before: number, after: number];
  /** Calls that record commands, before and after. */
  readonly commands: readonly [before: number, after: number];
  /** The number of smaller recordings that were tried. */
  readonly tries: number;
  /** Whether the condition held only in some replays of one recording. */
  readonly isFlaky: boolean;
  /** Whether the reduction was stopped before its end. */
  readonly isStopped: boolean;
  /** Whether every smaller recording was checked by the validation layer. */
  readonly isValidated: boolean;
  /** The place where the drivers part on the reduced recording; `undefined` if only the validation layer was asked. */
  readonly finding?: DriverDifference;
  /** Errors of the validation layer on the first driver, if the condition asks for them. */
  readonly errors?: readonly string[];
}

const RULES: OptionRules<ReduceOptions> = {
  ...PAIR_RULES,
  while: text("a condition, such as differs or crashes && B"),
  validation: (value) => value === false ? undefined : text("the name or manifest of a layer, or false")(value),
  onSmaller: callback("takes a number of lines"),
  signal: object("an AbortSignal"),
};
const VALIDATION = "VK_LAYER_KHRONOS_validation";

/**
 * Makes a recording as small as it can be while two drivers still part in the
 * same way, and writes it to `out`. Command buffers, passes, commands, objects
 * and data are left out, with everything that needs them; then counts, sizes
 * and offsets become smaller, and state that is not needed is left out. A
 * script beside `out` shows the same as a test. Two equal drivers stand for one,
 * for a recording that crashes, hangs, or loses its device anywhere.
 *
 * @throws {RecordingError} if the recording cannot be read or replayed.
 * @throws {TypeError} for a condition that cannot be read, or that is not true of the whole recording, and for files
 *   that cannot be written.
 *
 * @example
 * ```ts ignore
 * import { reduceRecording } from "@pumice/gfx/compare";
 *
 * const drivers = [{ driver: "libvulkan_one.so" }, { driver: "libvulkan_other.so" }] as const;
 * await reduceRecording("frame.jsonl", drivers, "small.jsonl", { while: "crashes && B" });
 * ```
 */
export async function reduceRecording(
  recording: string,
  drivers: readonly [ComparedDriver, ComparedDriver],
  out: string,
  options: ReduceOptions = {},
): Promise<ReducedRecording> {
  checkOptions("reduceRecording()", options, RULES);
  checkDrivers("reduceRecording()", drivers);
  parseCondition(options.while ?? "differs");
  const stream = readRecording(recording, { unsealed: options.unsealed }), output = new Output(out, recording);
  using folder = temporaryFolder("reduce");
  return await reduced(`${folder.path}/${basename(out)}`, stream, drivers, output, options);
}

/** Reduces a recording by a file at a path, which is written for each try. */
async function reduced(
  path: string,
  stream: RecordedStream,
  drivers: readonly [ComparedDriver, ComparedDriver],
  output: Output,
  options: ReduceOptions,
): Promise<ReducedRecording> {
  const { steps = {}, share = 0, timeout = DEFAULT_TIMEOUT, signal } = options;
  const condition = parseCondition(options.while ?? "differs");
  const validation = validationOf(options, condition);
  const replays = new Replays(stream, drivers, { path, condition, validation, steps, share, timeout, signal });
  try {
    const reducer = new Reducer(stream, replays, condition, options);
    await reducer.run();
    const { lines, isFlaky, isValidated, latest: { errors } } = reducer, finding = await reducer.named();
    const smaller = replays.candidate.streamOf(lines);
    output.writeRecording(smaller);
    const [one, other] = replays.pair.drivers;
    const named = [{ ...drivers[0], identity: one }, { ...drivers[1], identity: other }] as const;
    const proof = { timeout: replays.timeout, tries: isFlaky ? SURE : 1, signal };
    const script = await written(output, { stream: smaller, finding, drivers: named }, proof);
    return {
      lines: [stream.lines.length, lines.length],
      commands: [commandsIn(stream.lines), commandsIn(lines)],
      tries: reducer.tries,
      isFlaky,
      isValidated,
      isStopped: signal?.aborted === true,
      script,
      ...finding && { finding },
      ...errors && { errors },
    };
  } finally {
    await replays.close();
  }
}

/** The validation layer. Only one that somebody asks for must be there. */
function validationOf({ validation = VALIDATION }: ReduceOptions, { text, asksErrors }: Condition) {
  if (validation !== false) return { layer: validation, isNeeded: asksErrors || validation !== VALIDATION };
  if (!asksErrors) return undefined;
  throw new TypeError(`Cannot reduce while "${text}" without a validation layer: leave out \`validation: false\``);
}

/** Writes the script, unless the reduction was stopped. */
async function written(output: Output, ...source: Parameters<typeof provenScript>): Promise<ScriptOutcome> {
  const [, { signal }] = source;
  try {
    const script = await provenScript(...source);
    if ("missing" in script) return script;
    output.writeScript(script.text);
    return { path: output.script };
  } catch (error) {
    if (signal?.aborted) return { missing: "the reduction was stopped" };
    throw error;
  }
}

function commandsIn(lines: readonly RecordedLine[]): number {
  return lines.filter((line) => "command" in line && line.command.startsWith("vkCmd")).length;
}
