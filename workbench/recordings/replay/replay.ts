import { checkOptions } from "../../../ffi/check_options.ts";
import { loadVulkan } from "../../../loader/api/load_vulkan.ts";
import type { Vulkan } from "../../../loader/api/vulkan.ts";
import { requireDriver } from "../../../loader/api/require_driver.ts";
import type { VulkanOptions } from "../../../loader/options.ts";
import { checkStream, located } from "./check.ts";
import { EditedLines } from "./edited_lines.ts";
import { perform } from "./perform.ts";
import { REPLAY_RULES, type ReplayOptions, type ReplayReport } from "./options.ts";
import { Session } from "./session.ts";
import { type Recording, RecordingFile } from "./recording_file.ts";
import type { RecordedStream } from "./stream.ts";
import { withNames } from "./unfinished.ts";
import type { Survey } from "./survey.ts";

/**
 * Repeats what {@linkcode apiRecording} wrote down, on the driver of a given or
 * new loader. Each device is made of the physical device of the recorded name,
 * or else of the first that has everything the device needs. Queue families are matched by capabilities and memory types
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
 *     console.log(buffer, recorded.every((byte, index) => byte === replayed?.[index]) ? "same" : "differs");
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
  checkOptions("replayRecording()", options, REPLAY_RULES);
  const { edit, unsealed = false } = options;
  const whole: Recording = typeof recording === "string" ? new RecordingFile(recording, unsealed) : recording;
  const edited = edit ? { lines: new EditedLines(whole.lines, edit), data: whole.data } : whole;
  const named = withNames(edited), survey = checkStream(named);
  const vulkan = "explain" in target ? target : requireDriver(loadVulkan(target));
  let isStuck = false;
  try {
    return run(vulkan as Vulkan, named, survey, { ...options, onStuck: () => isStuck = true });
  } finally {
    if (vulkan !== target && !isStuck) vulkan.close();
  }
}

/** Called if a device never finishes its work. */
type RunOptions = ReplayOptions & { readonly onStuck: () => void };

function run(vulkan: Vulkan, recording: Recording, survey: Survey, { onStuck, ...options }: RunOptions): ReplayReport {
  const session = new Session(vulkan, recording, survey, options);
  using owned = new DisposableStack();
  owned.defer(() => session.isStuck && onStuck());
  owned.use(session);
  let last = 0;
  for (const [index, line] of recording.lines.entries()) {
    located(last = index, line, () => perform(session, line, index));
  }
  located(last, { missing: "" }, () => session.settle());
  return session.report;
}
