import { sha256 } from "../../../loader/layers/shipped/native/sha256.ts";
import { crc32 } from "../record/crc32.ts";
import { unpackedParts } from "../record/packed.ts";
import type { RecordedLine, RecordEnd, RecordHeader } from "../record/line.ts";
import { sidecarOf } from "../record/sidecar.ts";
import { RecordingError } from "./error.ts";

/**
 * Reads a file of UTF-8, packed or not, line by line, with the line breaks. Only a part of the
 * file and the current line are in memory. The file is open while the lines are
 * gone through.
 */
function* textLines(path: string): Generator<string> {
  using file = Deno.openSync(path);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let begun = "";
  for (const bytes of partsOf(path, file)) {
    const text = decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      yield begun + text.slice(start, end + 1);
      begun = "";
      start = end + 1;
    }
    begun += text.slice(start);
  }
  begun += decoder.decode();
  if (begun !== "") yield begun;
}

/** The bytes of a file, which may be packed. */
function* partsOf(path: string, file: Deno.FsFile): Generator<Uint8Array> {
  try {
    yield* unpackedParts(file);
  } catch (cause) {
    if (!(cause as { code?: unknown }).code?.toString().startsWith("Z_")) throw cause;
    throw new RecordingError("changed", 0, `Cannot read "${path}": its packed bytes were changed or cut`, { cause });
  }
}

/** The lines of a recording, which can be gone through again and again: in an array, or in a file that is read each time. */
export interface RecordedLines {
  /** The lines with their indices. */
  entries(): Iterable<readonly [index: number, line: RecordedLine]>;
}

/** A recording: in memory, or in a file. */
export interface Recording {
  /** The lines between the first and the last. */
  readonly lines: RecordedLines;
  /** Returns the bytes of a hash. Throws a `RecordingError` if they are missing or differ from the recorded bytes. */
  data(hash: string): Uint8Array<ArrayBuffer>;
}

/** The first line of a recording. */
export const HEADER: RecordHeader = { schema: "pumice-recording", version: 1 };

/**
 * A recording's file, of which a part at a time is in memory. Every pass over
 * the lines opens the file again.
 */
export class RecordingFile implements Recording, RecordedLines {
  /** The file. */
  readonly path: string;
  /** Returns the bytes of a hash, which are in the folder beside the file. */
  readonly data: Recording["data"];
  /** The checksum of the lines, in hexadecimal. */
  readonly crc32: string;
  readonly #state: string;

  /**
   * Reads a file once, to see that it is whole, unless it may be `unsealed`.
   *
   * @throws {RecordingError} if the file is no recording of a known version, or was cut or changed.
   */
  constructor(path: string, unsealed: boolean) {
    this.path = path;
    this.#state = stateOf(path);
    this.data = (hash) => contentOf(sidecarOf(path), hash);
    const lines = bodyOf(path);
    let crc = 0, count = 0, step = lines.next();
    for (; !step.done; step = lines.next(), count++) crc = crc32(step.value, crc);
    this.crc32 = crc.toString(16);
    if (!unsealed) checkSeal(path, { lines: count, crc32: this.crc32 }, step.value);
  }

  /** The lines. */
  get lines(): RecordedLines {
    return this;
  }

  /** Reads all lines. Throws a `RecordingError` at one that is invalid, or if the file is another one now. */
  *entries(): Generator<[index: number, line: RecordedLine]> {
    if (stateOf(this.path) !== this.#state) {
      throw new RecordingError("changed", 0, `Cannot read "${this.path}": it was written while it was read; wait`);
    }
    let index = 0, number = 1;
    for (const text of bodyOf(this.path)) {
      number++;
      if (text.trim() !== "") yield [index++, parseLine(this.path, text, number)];
    }
  }
}

/** Header lines of a recording's file, before line 0. */
const HEADERS = 2;

/** Returns the number of a line in its file, from its index. */
export function lineNumber(index: number): number {
  return index + HEADERS;
}

/** Returns the facts that change when somebody writes a file. */
function stateOf(path: string): string {
  const { size, mtime } = Deno.statSync(path);
  return `${size} ${mtime?.getTime()}`;
}

/**
 * Reads the lines between the first and the last. Returns the last if it is the
 * end. A last line without a break is left out, unless it is the beginning of a
 * call within which the program ended.
 */
function* bodyOf(path: string): Generator<string, RecordEnd | undefined> {
  let header: string | undefined, last: string | undefined;
  for (const text of textLines(path)) {
    if (header === undefined) checkHeader(path, header = text);
    else {
      if (last !== undefined) yield last;
      last = text;
    }
  }
  if (header === undefined) checkHeader(path, "");
  const end = endOf(last);
  const whole = last?.endsWith("\n") ? last : unfinished(last);
  if (!end && whole) yield whole;
  return end;
}

function unfinished(text = ""): string | undefined {
  const whole = `${text},"unfinished":true}`;
  return isLine(json(whole)) ? whole : undefined;
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
  if (JSON.stringify(header) !== JSON.stringify(HEADER)) { // nothing else protects the line from changes
    throw new RecordingError("changed", 1, `Cannot read "${path}": its first line was changed since it was written`);
  }
}

function endOf(text = ""): RecordEnd | undefined {
  const end = text.endsWith("\n") ? json(text) as Partial<RecordEnd> | undefined : undefined;
  return typeof end?.lines === "number" && typeof end.crc32 === "string" ? end as RecordEnd : undefined;
}

function checkSeal(path: string, found: RecordEnd, end: RecordEnd | undefined): void {
  const advice = "if that is as it should be, say `unsealed: true`";
  if (!end) {
    throw new RecordingError(
      "cut-off",
      0,
      `Cannot read "${path}": it was cut, its last line is not the end; ${advice}`,
    );
  }
  if (end.lines !== found.lines || end.crc32 !== found.crc32) {
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
