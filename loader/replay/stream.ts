import { checkOptions, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import { prepareHooks } from "../layers/shipped/native/prepare.ts";
import { newFile } from "../layers/shipped/native/file.ts";
import { sha256 } from "../layers/shipped/native/sha256.ts";
import { crc32 } from "../layers/shipped/record/crc32.ts";
import type { RecordedLine, RecordEnd, RecordHeader } from "../layers/shipped/record/line.ts";
import { Sidecar, sidecarOf } from "../layers/shipped/record/sidecar.ts";
import { RecordingError } from "./error.ts";

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

const HEADER: RecordHeader = { schema: "pumice-recording", version: 1 };

/**
 * Reads a recording. Bytes in the folder beside it are read when they are
 * needed.
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
  const { unsealed = false } = options;
  const [first, ...rest] = Deno.readTextFileSync(path).split(/(?<=\n)/);
  checkHeader(path, first);
  const end = endOf(rest.at(-1));
  const body = end ? rest.slice(0, -1) : rest;
  if (!unsealed) checkSeal(path, body, end);
  else if (body.at(-1)?.endsWith("\n") === false) body.pop();
  return {
    lines: body.flatMap((text, index) => text.trim() === "" ? [] : [parseLine(path, text, index + 2)]),
    data: (hash) => contentOf(sidecarOf(path), hash),
  };
}

/**
 * Writes a recording, which may have been changed. Bytes that were added as
 * buffers or views go to the folder beside the file.
 *
 * @throws {RecordingError} if bytes are missing.
 * @throws {Error} if the file or the folder cannot be created.
 */
export function writeRecording(path: string, { lines, data }: RecordedStream): void {
  prepareHooks();
  const sidecar = new Sidecar(path);
  const texts = lines.map((line) => `${JSON.stringify(line, (_key, value) => plain(value, data, sidecar))}\n`);
  const end: RecordEnd = { lines: texts.length, crc32: crc32(texts.join("")).toString(16) };
  using file = newFile(path, "writeRecording()");
  for (const text of [`${JSON.stringify(HEADER)}\n`, ...texts, `${JSON.stringify(end)}\n`]) file.writeText(text);
}

/** Returns a value as JSON. Bytes go to the sidecar of the new file. */
function plain(value: unknown, data: RecordedStream["data"], sidecar: Sidecar): unknown {
  if (typeof value === "bigint") return `${value}`;
  if (ArrayBuffer.isView(value)) return sidecar.put(value);
  const hash = typeof value === "object" && value !== null ? (value as { data?: unknown }).data : undefined;
  if (typeof hash === "string") sidecar.put(data(hash));
  return value;
}

function checkHeader(path: string, text: string): void {
  const header = json(text) as Partial<RecordHeader> | undefined;
  if (header?.schema !== HEADER.schema) {
    throw new RecordingError(
      "bad-line",
      1,
      `Cannot read "${path}": its first line does not say that it is a recording`,
    );
  }
  if (header.version !== HEADER.version) {
    throw new RecordingError(
      "bad-version",
      1,
      `Cannot read "${path}": it is of version ${header.version}, and version ${HEADER.version} is known here; ` +
        "use the Pumice that recorded it",
    );
  }
}

function endOf(text = ""): RecordEnd | undefined {
  const end = text.endsWith("\n") ? json(text) as Partial<RecordEnd> | undefined : undefined;
  return typeof end?.lines === "number" && typeof end.crc32 === "string" ? end as RecordEnd : undefined;
}

function checkSeal(path: string, body: readonly string[], end: RecordEnd | undefined): void {
  const advice = "if that is as it should be, say `unsealed: true`";
  if (!end) {
    throw new RecordingError(
      "cut-off",
      0,
      `Cannot read "${path}": it was cut, its last line is not the end; ${advice}`,
    );
  }
  if (end.lines !== body.length || end.crc32 !== crc32(body.join("")).toString(16)) {
    throw new RecordingError("changed", 0, `Cannot read "${path}": it was changed since it was written; ${advice}`);
  }
}

function parseLine(path: string, text: string, number: number): RecordedLine {
  const line = json(text);
  if (isLine(line)) return line;
  throw new RecordingError(
    "bad-line",
    number,
    `Cannot read line ${number} of "${path}": found ${text.trim().slice(0, 60)}; ` +
      "a line has a command with args, a write, a read or a missing",
  );
}

function isLine(line: unknown): line is RecordedLine {
  const { command, args, write, read, offset, content, missing } = Object(line);
  if (typeof missing === "string") return true;
  if (typeof command === "string") return typeof args === "object" && args !== null && !Array.isArray(args);
  const place = typeof write === "string" || typeof read === "string";
  return place && Number.isSafeInteger(offset) && offset >= 0 && typeof content === "object" && content !== null;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function contentOf(folder: string, hash: string): Uint8Array<ArrayBuffer> {
  const path = `${folder}/${hash}`;
  const bytes = /^[0-9a-f]{64}$/.test(hash) ? readOrNothing(path) : undefined;
  if (!bytes) {
    throw new RecordingError(
      "missing-bytes",
      0,
      `Cannot find the bytes "${path}"; keep the folder beside its recording`,
    );
  }
  if (sha256(bytes) === hash) return bytes;
  throw new RecordingError(
    "changed",
    0,
    `Cannot use "${path}": it was changed since it was recorded; give other bytes their own name`,
  );
}

function readOrNothing(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
