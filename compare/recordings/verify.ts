import { callback, checkOptions, number, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import { replayRecording } from "../../loader/layers.ts";
import type { Vulkan, VulkanOptions } from "../../loader/mod.ts";
import { DEFAULT_TIMEOUT } from "../../loader/replay/session.ts";
import { RecordingFile } from "../../loader/replay/recording_file.ts";
import { Survey } from "../../loader/replay/survey.ts";
import { byteDifference } from "../contents/difference.ts";

/** Options of {@linkcode verifyRecording}. */
export interface VerifyOptions {
  /** Whether to accept a file that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
  /** Milliseconds to wait for a fence or semaphore before the replay fails. Default 60000. */
  readonly timeout?: number;
  /** Called with each difference when it is found. */
  readonly onDifference?: (difference: ReadDifference) => void;
}

const RULES: OptionRules<VerifyOptions> = {
  unsealed: yesOrNo,
  timeout: number,
  onDifference: callback("takes a difference"),
};

/** Data that a replay reads otherwise than the recorded program did. */
export interface ReadDifference {
  /** Number of the line in the file, from 1. */
  readonly line: number;
  /** The buffer, by its recorded name. */
  readonly buffer: string;
  /** Offset in bytes, from the start of the buffer, of the first byte that differs. */
  readonly first: number;
  /** How many bytes differ; all bytes of the read if the host cannot see them here. */
  readonly bytes: number;
}

/** The result of {@linkcode verifyRecording}. */
export interface VerifiedRecording {
  /** The name of the device that replayed. */
  readonly deviceName: string;
  /** The names of the devices on which the program ran, as far as the program asked for them. */
  readonly recordedOn: readonly string[];
  /** How many recorded calls were repeated. */
  readonly calls: number;
  /** How many reads were compared. A recording without any proves nothing. */
  readonly reads: number;
  /** The reads that differ. */
  readonly differences: readonly ReadDifference[];
}

/**
 * Replays a recording on the driver that recorded it, and compares every read
 * of the program. The recording is true if nothing differs. On another driver a
 * difference may be that driver's; `compareDrivers` finds the command.
 *
 * @throws {RecordingError} if the recording cannot be read or replayed; a
 *   recording with gaps is such a one.
 *
 * @example Is a recording true?
 * ```ts ignore
 * import { verifyRecording } from "@pumice/gfx/compare";
 *
 * const { reads, differences } = verifyRecording({ driver: "libvulkan_lvp.so" }, "frame.jsonl");
 * console.log(`${differences.length} of ${reads} reads differ`);
 * ```
 */
export function verifyRecording(
  target: Vulkan | VulkanOptions,
  path: string,
  options: VerifyOptions = {},
): VerifiedRecording {
  checkOptions("verifyRecording()", options, RULES);
  const { unsealed = false, timeout = DEFAULT_TIMEOUT, onDifference } = options,
    { lines, recordedOn } = placesOf(path, unsealed);
  const differences: ReadDifference[] = [];
  let reads = 0;
  const { deviceName, calls } = replayRecording(target, path, {
    unsealed,
    timeout,
    onRead({ buffer, offset, recorded, replayed }) {
      const line = lines[reads++], different = byteDifference(recorded, replayed ?? new Uint8Array());
      if (!different) return;
      const found = { line, buffer, first: offset + different.first, bytes: different.bytes };
      differences.push(found);
      onDifference?.(found);
    },
  });
  return { deviceName, recordedOn, calls, reads, differences };
}

/** The numbers of the lines that read, and the names of the recorded devices. */
function placesOf(path: string, unsealed: boolean): { lines: number[]; recordedOn: string[] } {
  const lines: number[] = [], survey = new Survey();
  for (const [index, line] of new RecordingFile(path, unsealed).entries()) {
    if ("read" in line) lines.push(index + 2); // the header is line 1
    survey.note(line);
  }
  const names = survey.devices.flatMap(({ facts }) => facts.deviceName ?? []);
  return { lines, recordedOn: [...new Set(names)] };
}
