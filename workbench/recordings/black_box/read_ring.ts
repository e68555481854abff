import type { RecordedLine } from "../record/line.ts";
import type { RingState } from "./checkpoint.ts";
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
    return JSON.parse(Deno.readTextFileSync(`${folder}/${MANIFEST}`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function wholeRing(folder: string): RingContents {
  const text = (name: string) => Deno.readTextFileSync(`${folder}/${name}`);
  const manifest: RingManifest = JSON.parse(text(MANIFEST));
  const lines = manifest.segments.flatMap((name) => linesIn(text(name)));
  const state: RingState | undefined = manifest.state === undefined ? undefined : JSON.parse(text(manifest.state));
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
