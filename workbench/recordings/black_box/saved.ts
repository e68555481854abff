import { type MarkedBuffer, type UnfinishedCommand, unfinishedText } from "./unfinished.ts";
import type { RingContents } from "./read_ring.ts";
import { writeRing } from "./write_recording.ts";

/** A recording that a black box has written. */
export interface SavedBlackBox {
  /** The file. */
  readonly path: string;
  /** The event, as a sentence without its point. */
  readonly reason: string;
  /** The number of submissions in the recording. */
  readonly submissions: number;
  /** Buffers, images and query pools whose contents at the beginning are not known, and why. */
  readonly unsaved: Readonly<Record<string, string>>;
  /** A sentence for each reason why submitted commands have no marks, so that the unfinished one may be another. */
  readonly unmarked: readonly string[];
  /** The reason why the recording cannot be replayed; `undefined` if it can. */
  readonly trouble?: string;
  /** The first command that the device did not finish, if its marks tell. */
  readonly unfinished?: UnfinishedCommand;
}

/**
 * Writes what a ring holds to a file of this name, or of the next free name with a number.
 *
 * @throws {Error} if the recording cannot be written.
 */
export function saveRing(
  folder: string,
  wanted: string,
  reason: string,
  latest: (marked: MarkedBuffer, ring: RingContents) => number | undefined,
): SavedBlackBox {
  const path = freePath(wanted);
  try {
    return { path, reason, ...writeRing(folder, path, latest) };
  } catch (error) {
    remove(path); // a part of a recording is none
    throw error;
  }
}

function freePath(wanted: string): string {
  const [, stem, end] = /^(.*?)(\.\w+)?$/s.exec(wanted)!;
  for (let number = 1;; number++) {
    const path = number === 1 ? wanted : `${stem}-${number}${end ?? ""}`;
    try {
      Deno.openSync(path, { write: true, createNew: true }).close();
      return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

function remove(path: string): void {
  for (const each of [path, `${path}.data`]) {
    try {
      Deno.removeSync(each, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Returns the report about a recording that was written. */
export function savedText(
  { path, reason, submissions, unsaved, unmarked, trouble, unfinished }: SavedBlackBox,
): string {
  const lost = Object.entries(unsaved).map(([name, why]) => `  not saved: the contents of ${name}: ${why}`);
  return [
    `${path}: ${reason}; the last ${submissions} submissions, ${trouble === undefined ? "to be replayed" : "which"}${
      trouble === undefined ? "" : ` cannot be replayed: ${trouble}`
    }`,
    ...unfinished ? [`  ${unfinishedText(unfinished)}`] : [],
    ...unmarked.map((sentence) => `  ${sentence}`),
    ...lost,
  ].join("\n");
}
