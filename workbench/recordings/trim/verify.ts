import { callback, checkOptions, number, type OptionRules, yesOrNo } from "../../../ffi/check_options.ts";
import { replayRecording } from "../replay/replay.ts";
import type { Vulkan, VulkanOptions } from "../../../loader/mod.ts";
import { DEFAULT_TIMEOUT } from "../replay/session.ts";
import { RecordingFile } from "../replay/recording_file.ts";
import { Survey } from "../replay/survey.ts";
import { VK_QUERY_TYPE_TIMESTAMP } from "../../../loader/gen/enums_core_gen.js";
import { byteDifference } from "../compare/contents/difference.ts";

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
  /** The buffer or the query pool, by its recorded name. */
  readonly resource: string;
  /** Offset in bytes of the first byte that differs, from the start of the buffer or of the results. */
  readonly first: number;
  /** The number of bytes that differ; all bytes of the read if the host cannot see them here. */
  readonly bytes: number;
}

/** The result of {@linkcode verifyRecording}. */
export interface VerifiedRecording {
  /** The name of the device that replayed. */
  readonly deviceName: string;
  /** The names of the devices on which the program ran, as far as the program asked for them. */
  readonly recordedOn: readonly string[];
  /** The number of recorded calls that were repeated. */
  readonly calls: number;
  /**
   * The number of reads that were compared: of buffers, and of queries other than timestamps. A recording without any
   * proves nothing.
   */
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
  const { unsealed = false, timeout = DEFAULT_TIMEOUT, onDifference } = options, places = placesOf(path, unsealed);
  const differences: ReadDifference[] = [];
  let reads = 0, buffers = 0, queries = 0;
  function compare(line: number, resource: string, offset: number, recorded: Uint8Array, replayed: Uint8Array): void {
    const different = byteDifference(recorded, replayed);
    reads++;
    if (!different) return;
    const found = { line, resource, first: offset + different.first, bytes: different.bytes };
    differences.push(found);
    onDifference?.(found);
  }
  const { deviceName, calls } = replayRecording(target, path, {
    unsealed,
    timeout,
    onRead({ buffer, offset, recorded, replayed = new Uint8Array() }) {
      compare(places.buffers[buffers++], buffer, offset, recorded, replayed);
    },
    onQueries({ queryPool, queryType, recorded, replayed }) {
      const line = places.queries[queries++];
      if (queryType !== VK_QUERY_TYPE_TIMESTAMP) compare(line, queryPool, 0, recorded, replayed);
    },
  });
  return { deviceName, recordedOn: places.recordedOn, calls, reads, differences };
}

/** The numbers of the lines that read, and the names of the recorded devices. */
function placesOf(path: string, unsealed: boolean) {
  const buffers: number[] = [], queries: number[] = [], survey = new Survey();
  for (const [index, line] of new RecordingFile(path, unsealed).entries()) {
    if ("read" in line) buffers.push(index + 2); // the header is line 1
    if ("command" in line && line.command === "vkGetQueryPoolResults") queries.push(index + 2);
    survey.note(line);
  }
  const names = survey.devices.flatMap(({ facts }) => facts.deviceName ?? []);
  return { buffers, queries, recordedOn: [...new Set(names)] };
}
