import { callback, checkOptions, list, number, type OptionRules, text, yesOrNo } from "../../ffi/check_options.ts";
import { loadVulkan } from "../api/load_vulkan.ts";
import type { Vulkan } from "../api/vulkan.ts";
import { requireDriver } from "../api/require_driver.ts";
import type { VulkanOptions } from "../options.ts";
import type { VkInstance, VkPhysicalDevice } from "../gen/types_core_gen.ts";
import type { RecordedLine } from "../layers/shipped/record/line.ts";
import { checkStream, located } from "./check.ts";
import { EditedLines } from "./edited_lines.ts";
import { perform } from "./perform.ts";
import type { ReplayedPresent } from "./present.ts";
import { type ReplayedRead, type ReplayedSubmit, Session } from "./session.ts";
import { type Recording, RecordingFile } from "./recording_file.ts";
import type { RecordedStream } from "./stream.ts";
import type { Survey } from "./survey.ts";

/** Options of {@linkcode replayRecording}. */
export interface ReplayOptions {
  /**
   * Called for each line. Returns what to do instead, one line or several, or
   * nothing to leave the line out. Return the line itself to keep it.
   */
  readonly edit?: (line: RecordedLine) => RecordedLine | readonly RecordedLine[] | undefined;
  /** Called with readable data wherever the recorded program could read new data. */
  readonly onRead?: (read: ReplayedRead) => void;
  /** Called for each submission when the device has finished it. */
  readonly onSubmit?: (submitted: ReplayedSubmit) => void;
  /** Called for each presented image. */
  readonly onPresent?: (presented: ReplayedPresent) => void;
  /**
   * Called with the new instance and the chosen device. The returned object is
   * disposed of before they are destroyed.
   */
  readonly onInstance?: (instance: VkInstance, gpu: VkPhysicalDevice) => Disposable | void;
  /** Further instance extensions to enable. */
  readonly instanceExtensions?: readonly string[];
  /** Whether to accept a file that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Milliseconds to wait for a fence or semaphore before the replay fails. Default 60000. */
  readonly timeout?: number;
}

const RULES: OptionRules<ReplayOptions> = {
  edit: callback("changes lines"),
  onRead: callback("takes what was read"),
  onSubmit: callback("takes a queue"),
  onPresent: callback("takes what is presented"),
  onInstance: callback("takes the instance"),
  instanceExtensions: list("a list of extensions", text("a name")),
  unsealed: yesOrNo,
  timeout: number,
};

/** The result of a replay. */
export interface ReplayReport {
  /** The name of the device. */
  readonly deviceName: string;
  /** How many recorded calls were repeated. */
  readonly calls: number;
  /** The buffers and images for which this device needs memory of their own. */
  readonly moved: readonly string[];
}

/**
 * Repeats what {@linkcode apiRecording} wrote down, on the driver of a given or
 * new loader. The replay uses the first physical device that has everything the
 * recording needs. Queue families are matched by capabilities and memory types
 * by properties. A buffer or image that does not fit into the recorded memory
 * gets memory of its own.
 *
 * The whole recording is checked before anything is called. Nothing is created
 * if extensions, features or formats are missing. At the end nothing is left,
 * even of a recording that was cut.
 *
 * Put layers, such as validation layers, into the options as for `loadVulkan`.
 *
 * @throws {RecordingError} if the recording cannot be read or replayed; the
 *   message says what is missing.
 *
 * @example Compare what a program saw with what another driver does
 * ```ts ignore
 * import { replayRecording } from "@pumice/gfx/layers";
 *
 * replayRecording({ driver: "libvk_swiftshader.so" }, "frame.jsonl", {
 *   onRead({ buffer, recorded, replayed }) {
 *     console.log(buffer, recorded.every((byte, index) => byte === replayed[index]) ? "same" : "differs");
 *   },
 * });
 * ```
 *
 * @example Another clear colour
 * ```ts ignore
 * import { replayRecording } from "@pumice/gfx/layers";
 *
 * replayRecording({}, "frame.jsonl", {
 *   edit(line) {
 *     if ("command" in line && line.command === "vkCmdBeginRenderPass") {
 *       line.args.pRenderPassBegin.pClearValues[0] = { color: { float32: [1, 0, 0, 1] } };
 *     }
 *     return line;
 *   },
 * });
 * ```
 */
export function replayRecording(
  target: Vulkan | VulkanOptions,
  recording: string | RecordedStream,
  options: ReplayOptions = {},
): ReplayReport {
  checkOptions("replayRecording()", options, RULES);
  const { edit, unsealed = false } = options;
  const whole: Recording = typeof recording === "string" ? new RecordingFile(recording, unsealed) : recording;
  const edited = edit ? { lines: new EditedLines(whole.lines, edit), data: whole.data } : whole;
  const survey = checkStream(edited);
  const vulkan = "explain" in target ? target : requireDriver(loadVulkan(target));
  try {
    return run(vulkan as Vulkan, edited, survey, options);
  } finally {
    if (vulkan !== target) vulkan.close();
  }
}

function run(vulkan: Vulkan, recording: Recording, survey: Survey, options: ReplayOptions): ReplayReport {
  using session = new Session(vulkan, recording, survey, options);
  for (const [index, line] of recording.lines.entries()) located(index, line, () => perform(session, line));
  return session.report;
}
