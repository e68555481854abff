import { checkOptions } from "../../../ffi/check_options.ts";
import { loadVulkan, requireDriver } from "../../../loader/api/load_vulkan.ts";
import type { Vulkan } from "../../../loader/api/vulkan.ts";
import type { VulkanOptions } from "../../../loader/options.ts";
import { checkStream, located } from "./check.ts";
import { perform } from "./perform.ts";
import { REPLAY_RULES, type ReplayOptions, type ReplayReport } from "./options.ts";
import { Session } from "./session.ts";
import { type RecordedLines, type Recording, RecordingFile } from "./recording_file.ts";
import type { RecordedStream } from "./stream.ts";
import { withNames } from "./unfinished.ts";
import type { Survey } from "./survey.ts";
import type { RecordedLine } from "../record/line.ts";

/** Returns what to do instead of a line: one line or several, or nothing. */
type EditLine = NonNullable<ReplayOptions["edit"]>;

/**
 * Lines that a caller changes. Each line is given to the caller once, in the
 * first pass; what became of lines that were changed is kept for further passes.
 */
class EditedLines implements RecordedLines {
  readonly #lines: RecordedLines;
  readonly #edit: EditLine;
  /** The new lines in place of those that were changed, by their indices before. */
  readonly #changed = new Map<number, readonly RecordedLine[]>();
  /** The number of lines that the caller has had. */
  #seen = 0;

  /** Nothing is changed before the lines are gone through. */
  constructor(lines: RecordedLines, edit: EditLine) {
    this.#lines = lines;
    this.#edit = edit;
  }

  /** The lines as they are after the change. */
  *entries(): Generator<[index: number, line: RecordedLine]> {
    let index = 0;
    for (const [at, line] of this.#lines.entries()) {
      if (at >= this.#seen) this.#change(at, line);
      for (const each of this.#changed.get(at) ?? [line]) yield [index++, each];
    }
  }

  #change(at: number, line: RecordedLine): void {
    const edited = this.#edit(structuredClone(line)) ?? [], lines = Array.isArray(edited) ? edited : [edited];
    this.#seen = at + 1;
    if (lines.length !== 1 || !isSame(lines[0], line)) this.#changed.set(at, lines);
  }
}

/** Whether two values have the same members. Bytes that are not in text count as changed. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || ArrayBuffer.isView(one)) return false;
  const members = Object.entries(one), others = other as Readonly<Record<string, unknown>>;
  return Array.isArray(one) === Array.isArray(other) && members.length === Object.keys(other).length &&
    members.every(([name, value]) => Object.hasOwn(others, name) && isSame(value, others[name]));
}

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
  try {
    return session.within(() => {
      let last = 0;
      for (const [index, line] of recording.lines.entries()) {
        located(last = index, line, () => perform(session, line, index));
      }
      located(last, { missing: "" }, () => session.settle());
      return session.report;
    });
  } finally {
    if (session.isStuck) onStuck();
  }
}
