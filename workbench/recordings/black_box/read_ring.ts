import type { RecordedLine } from "../record/line.ts";
import type { RingState } from "./checkpoint.ts";
import { RecordingError } from "../replay/error.ts";
import { contentFile, MANIFEST, type RingManifest } from "./ring_folder.ts";
import type { MarkedBuffer } from "./unfinished.ts";

/** A ring as it is on the disk. */
export interface RingContents {
  readonly manifest: RingManifest;
  /** The state before the first line; `undefined` if that is the beginning of the program. */
  readonly state?: RingState;
  /** The lines of the segments. A call within which the driver is has `unfinished`. */
  readonly lines: readonly RecordedLine[];
  /** The command buffers with marks that were submitted, in order. */
  readonly submitted: readonly MarkedBuffer[];
  /** Returns the bytes of a number. */
  data(number: string): Uint8Array<ArrayBuffer>;
}

/** A ring may move on while it is read; then it is read again, so many times at most. */
const TRIES = 5;

/**
 * Reads a ring, which may be in use.
 *
 * @throws {Deno.errors.NotFound} if there is no ring.
 * @throws {RecordingError} if the ring is damaged.
 */
export function readRing(folder: string): RingContents {
  for (let turn = 1;; turn++) {
    try {
      return wholeRing(folder);
    } catch (error) {
      if (turn === TRIES || !(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Returns the manifest of a ring; `undefined` if there is none yet. */
export function manifestOf(folder: string): RingManifest | undefined {
  try {
    return readManifest(folder);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function readManifest(folder: string): RingManifest {
  const manifest = parsed(folder, MANIFEST) as Partial<RingManifest> | null, { segments, submissions } = manifest ?? {};
  const isNames = (names: unknown) => Array.isArray(names) && names.every((name) => typeof name === "string");
  const isWhole = [segments, submissions, [manifest?.state ?? ""]].every(isNames);
  if (isWhole && Number.isSafeInteger(manifest!.process)) return manifest as RingManifest;
  throw damaged(folder, MANIFEST, "it names no process, segments and submissions");
}

function parsed(folder: string, name: string): unknown {
  const text = Deno.readTextFileSync(`${folder}/${name}`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damaged(folder, name, (cause as Error).message, cause);
  }
}

function damaged(folder: string, name: string, why: string, cause?: unknown): RecordingError {
  const sentence = `Cannot read the black box in "${folder}": ${name} is damaged (${why}); record again`;
  return new RecordingError("bad-line", 0, sentence, { cause });
}

function wholeRing(folder: string): RingContents {
  const text = (name: string) => Deno.readTextFileSync(`${folder}/${name}`);
  const manifest = readManifest(folder);
  const lines = manifest.segments.flatMap((name) => linesIn(text(name)));
  const state: RingState | undefined = manifest.state === undefined
    ? undefined
    : parsed(folder, manifest.state) as RingState;
  const submitted = manifest.submissions.flatMap((name) => jsonLines(text(name)) as MarkedBuffer[]);
  const known = new Map<string, Uint8Array<ArrayBuffer>>();
  const data = (number: string) => {
    const bytes = known.get(number) ?? Deno.readFileSync(`${folder}/${contentFile(number)}`);
    known.set(number, bytes);
    return bytes;
  };
  readAll([state, lines], data);
  return { manifest, state, lines, submitted, data };
}

/** Reads all contents while their files are there. */
function readAll(value: unknown, data: (number: string) => unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (name === "data" && typeof each === "string") data(each);
    else readAll(each, data);
  }
}

/** The first line is the header; the last one may be the end, or a call within which the driver is. */
function linesIn(text: string): RecordedLine[] {
  const [, ...lines] = text.split("\n"), last = lines.pop() ?? "";
  const whole = jsonLines(lines.join("\n")).filter((line) => !("crc32" in Object(line))) as RecordedLine[];
  return [...whole, ...jsonLines(last === "" ? "" : `${last},"unfinished":true}`) as RecordedLine[]];
}

/** A line that is not whole is left out: it is being written. */
function jsonLines(text: string): unknown[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
