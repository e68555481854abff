import { callback, checkOptions, list, number, type OptionRules, text, yesOrNo } from "../../ffi/check_options.ts";
import { loadVulkan } from "../api/load_vulkan.ts";
import type { Vulkan } from "../api/vulkan.ts";
import { requireDriver } from "../api/require_driver.ts";
import type { VulkanOptions } from "../options.ts";
import type { VkInstance, VkPhysicalDevice } from "../gen/types_core_gen.ts";
import type { RecordedLine } from "../layers/shipped/record/line.ts";
import { checkStream, located } from "./check.ts";
import { chooseDevice } from "./choose.ts";
import { perform } from "./perform.ts";
import type { ReplayedPresent } from "./present.ts";
import { type ReplayedRead, type ReplayedSubmit, Session } from "./session.ts";
import { readRecording, type RecordedStream } from "./stream.ts";

/** What {@linkcode replayRecording} is told. */
export interface ReplayOptions {
  /** Asked for each line: what to do instead, one line or several, or nothing to leave it out. Return it to do it. */
  readonly edit?: (line: RecordedLine) => RecordedLine | readonly RecordedLine[] | undefined;
  /** Told what can be read where the recorded program could read something new. */
  readonly onRead?: (read: ReplayedRead) => void;
  /** Told of each submission when the device is done with it. */
  readonly onSubmit?: (submitted: ReplayedSubmit) => void;
  /** Told of each image that is presented. */
  readonly onPresent?: (presented: ReplayedPresent) => void;
  /** Told of the instance when it was made, and of the device that was chosen. What it returns goes before they do. */
  readonly onInstance?: (instance: VkInstance, gpu: VkPhysicalDevice) => Disposable | void;
  /** Instance extensions to enable beside the recorded ones. */
  readonly instanceExtensions?: readonly string[];
  /** Whether a file will do that was cut or changed by hand since it was written. Default: no. */
  readonly unsealed?: boolean;
  /** Seconds to wait for a fence or semaphore before it is an error. Default: 60. */
  readonly patience?: number;
}

const RULES: OptionRules<ReplayOptions> = {
  edit: callback("changes lines"),
  onRead: callback("takes what was read"),
  onSubmit: callback("takes a queue"),
  onPresent: callback("takes what is presented"),
  onInstance: callback("takes the instance"),
  instanceExtensions: list("a list of extensions", text("a name")),
  unsealed: yesOrNo,
  patience: number,
};

/** What a replay did. */
export interface ReplayReport {
  /** The device it ran on. */
  readonly deviceName: string;
  /** How many calls of the recording were made again. */
  readonly calls: number;
  /** The buffers and images that this device wants to have memory of their own for. */
  readonly moved: readonly string[];
}

/**
 * Does again what {@linkcode apiRecording} wrote down, on the driver of a loader
 * that is given or made: it takes the first physical device that has what the
 * recording needs, queue families by what their queues can do, memory types by
 * their properties, and gives what does not fit into the recorded memory some
 * of its own.
 *
 * Nothing is called before the whole recording was gone through, nothing of it
 * is made where extensions, features or formats are missing, and at the end
 * nothing is left, even of a recording that was cut.
 *
 * Validation layers, or any, go into the options as they do for `loadVulkan`.
 *
 * @throws {RecordingError} when the recording cannot be read or replayed; the message says what is missing.
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
  const stream = edited(
    typeof recording === "string" ? readRecording(recording, { unsealed: options.unsealed }) : recording,
    options,
  );
  checkStream(stream);
  const vulkan = "explain" in target ? target : requireDriver(loadVulkan(target));
  try {
    return run(vulkan as Vulkan, stream, options);
  } finally {
    if (vulkan !== target) vulkan.close();
  }
}

function edited({ lines, data }: RecordedStream, { edit }: ReplayOptions): RecordedStream {
  return { data, lines: edit ? lines.flatMap((line) => edit(structuredClone(line)) ?? []) : lines };
}

function run(vulkan: Vulkan, stream: RecordedStream, options: ReplayOptions): ReplayReport {
  using session = new Session(vulkan, stream, options, chooseDevice(vulkan, stream.lines));
  for (const [index, line] of stream.lines.entries()) located(index, line, () => perform(session, line));
  return session.report;
}
