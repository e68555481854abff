import { checkOptions, type OptionRules, yesOrNo } from "../../../ffi/check_options.ts";
import { prepareHooks } from "../../../loader/layers/shipped/native/prepare.ts";
import { newFile } from "../../../loader/layers/shipped/native/file.ts";
import { crc32 } from "../record/crc32.ts";
import type { RecordedLine, RecordEnd } from "../record/line.ts";
import { isPackedName, packFile } from "../record/packed.ts";
import { Sidecar } from "../record/sidecar.ts";
import { HEADER, RecordingFile } from "./recording_file.ts";

/** A recording in memory, which can be changed and replayed or written. */
export interface RecordedStream {
  /** The lines between the first and the last. */
  lines: RecordedLine[];
  /** Returns the bytes of a hash. Throws a `RecordingError` if they are missing or differ from the recorded bytes. */
  data(hash: string): Uint8Array<ArrayBuffer>;
}

/** Options of {@linkcode readRecording}. */
export interface ReadRecordingOptions {
  /** Whether to accept a file that was cut or changed by hand. Default: no. */
  readonly unsealed?: boolean;
}

const RULES: OptionRules<ReadRecordingOptions> = {
  unsealed: yesOrNo,
};

/**
 * Reads all lines of a recording into memory, where they can be changed. Bytes
 * in the folder beside it are read when they are needed. `replayRecording` and
 * `compareDrivers` take a path, and have only a part of a file in memory.
 *
 * @throws {RecordingError} if the file is not a recording of a known version, a
 *   line is invalid, or the file was cut or changed.
 *
 * @example Drop the last draw
 * ```ts ignore
 * import { readRecording, writeRecording } from "@pumice/gfx/layers";
 *
 * const stream = readRecording("frame.jsonl");
 * const last = stream.lines.findLastIndex((line) => "command" in line && line.command === "vkCmdDraw");
 * stream.lines.splice(last, 1);
 * writeRecording("shorter.jsonl", stream);
 * ```
 */
export function readRecording(path: string, options: ReadRecordingOptions = {}): RecordedStream {
  checkOptions("readRecording()", options, RULES);
  const file = new RecordingFile(path, options.unsealed ?? false);
  return { lines: Array.from(file.entries(), ([, line]) => line), data: file.data };
}

/**
 * Writes a recording, which may have been changed. Bytes that were added as
 * buffers or views go to the folder beside the file. A file whose name ends with
 * `.gz` is packed.
 *
 * @throws {RecordingError} if bytes are missing.
 * @throws {Error} if the file or the folder cannot be created.
 *
 * @example
 * ```ts ignore
 * import { fuzzFacts, generateProgram } from "@pumice/gfx/fuzz";
 * import { writeRecording } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan();
 * writeRecording("program.jsonl", generateProgram(fuzzFacts(vulkan), { seed: 1 }).recording);
 * ```
 */
export function writeRecording(path: string, { lines, data }: RecordedStream): void {
  prepareHooks();
  const sidecar = new Sidecar(path);
  const texts = lines.map((line) => `${JSON.stringify(line, (_key, value) => plain(value, data, sidecar))}\n`);
  const end: RecordEnd = { lines: texts.length, crc32: crc32(texts.join("")).toString(16) };
  writeTexts(path, [`${JSON.stringify(HEADER)}\n`, ...texts, `${JSON.stringify(end)}\n`]);
  if (isPackedName(path)) packFile(path);
}

function writeTexts(path: string, texts: readonly string[]): void {
  using file = newFile(path, "writeRecording()");
  for (const text of texts) {
    const { size } = file;
    try {
      file.writeText(text);
    } catch (error) {
      file.cutTo(size); // a part of a line is no line
      throw error;
    }
  }
}

/** Returns a value as JSON. Bytes go to the sidecar of the new file. */
function plain(value: unknown, data: RecordedStream["data"], sidecar: Sidecar): unknown {
  if (typeof value === "bigint") return `${value}`;
  if (ArrayBuffer.isView(value)) return sidecar.put(value);
  const hash = typeof value === "object" && value !== null ? (value as { data?: unknown }).data : undefined;
  if (typeof hash === "string") sidecar.put(data(hash));
  return value;
}
