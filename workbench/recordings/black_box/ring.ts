import type { RecordedCall, RecordedLine, RecordHeader } from "../record/line.ts";
import { LineFile, type OpenCall } from "../record/lines.ts";
import type { RecordingPlace } from "../record/record.ts";
import type { Saving } from "./checkpoint.ts";
import { GatheredFile } from "./gathered_file.ts";
import { LivingState } from "./living_state.ts";
import type { MarkedBuffer } from "./unfinished.ts";
import { RingFolder, type RingManifest } from "./ring_folder.ts";

/** A call within which the driver is, with its place in the ring. */
interface RingCall extends OpenCall {
  inner: OpenCall;
  segment: LineFile;
}

/** The room that a ring may take. */
export interface RingLimits {
  /** The most bytes. */
  readonly bytes: number;
  /** The most submissions of a segment: a ring has those of two. */
  readonly submissions: number;
}

/** Parts of the ring's bytes: a quarter for the lines of each segment, and half for contents. */
const SEGMENTS = 4, CONTENTS = 2;

/**
 * The lines of the last submissions, in two segments, and the state that the first segment began with. When the second
 * is full, the state at its beginning takes the place of the first.
 */
export class Ring {
  /** The files. */
  readonly folder: RingFolder;
  /** The program's state at the latest line. */
  readonly living: LivingState;
  /** The place for the lines and bytes of a recording. */
  readonly place: RecordingPlace;
  /** A call that returned VK_ERROR_DEVICE_LOST, until its line is written: a replay makes it again. */
  lost: string | undefined;
  /** Called once the line of a call that lost the device is written. */
  onLost: (call: RecordedCall) => void = () => {};
  readonly #header: RecordHeader;
  readonly #limits: RingLimits;
  /** The calls within which the driver is; waits do not count. */
  readonly #open = new Set<RingCall>();
  #segments: Segment[] = [];
  #isGathering = false;
  #count = 0;
  #manifest: RingManifest;

  /** Begins in an empty folder. */
  constructor(path: string, limits: RingLimits, header: RecordHeader) {
    this.folder = new RingFolder(path);
    this.living = new LivingState((content) => this.folder.sizeOf(content as { bytes?: string; data?: string }));
    this.#limits = limits;
    this.#header = header;
    this.#manifest = {
      process: Deno.pid,
      segments: [],
      submissions: [],
      closed: false,
    };
    this.#begin({});
    const lines = {
      begin: (call: RecordedCall, isWait: boolean) => this.#enter(call, isWait),
      end: (open: OpenCall, line: RecordedCall | undefined) => this.#leave(open as RingCall, line),
      put: (line: RecordedLine) => this.#put(line),
      close: () => this.#close(),
      abandon: () => this.#abandon(),
    };
    this.place = { lines, payloads: { put: (content) => this.folder.put(content) } };
  }

  /** Whether the current segment is full, and the driver is within no call but one. */
  get isFull(): boolean {
    const { submissions, bytes } = this.#segments.at(-1)!, { bytes: limit, submissions: most } = this.#limits;
    return this.#open.size <= 1 && (submissions >= most || bytes() >= limit / SEGMENTS);
  }

  /** The number of bytes that contents may have. */
  get room(): number {
    return this.#limits.bytes / CONTENTS;
  }

  /** Writes the lines that are gathered, and gathers from now on, if the program is another process. */
  flush(): void {
    this.#isGathering = true;
    const { file, marks } = this.#segments.at(-1)!;
    for (const each of [file, marks]) {
      each.isGathering = true;
      each.flush();
    }
  }

  /** Names the process of the program. */
  runsIn(process: number): void {
    this.#describe({ process });
  }

  /** Notes command buffers with marks that are submitted. */
  submitted(marked: readonly MarkedBuffer[]): void {
    const { marks } = this.#segments.at(-1)!;
    for (const each of marked) marks.writeText(`${JSON.stringify(each)}\n`);
  }

  /** Begins a segment with a saved state. The call within which the driver is belongs to the new segment. */
  advance({ state, needed }: Saving): void {
    if (this.#isGathering) this.flush(); // nothing is written to this segment any more
    const open = [...this.#open].map((each) => {
      each.segment.end(each.inner, undefined);
      return each;
    });
    const name = `state-${this.#count}.json`;
    this.folder.write(name, (file) => file.writeText(JSON.stringify(state)));
    this.#begin({ state: name, needed: new Set(needed) });
    for (const each of open) {
      each.segment = this.#segments.at(-1)!.lines;
      each.inner = each.segment.begin(each.call, each.isWait);
    }
    for (const sentence of this.living.gaps) this.#segments.at(-1)!.lines.put({ missing: sentence });
    this.#dropOld();
  }

  #begin({ state, needed = new Set<string>() }: Partial<Pick<Segment, "state" | "needed">>): void {
    const number = this.#count++, name = `segment-${number}.jsonl`, marksName = `marks-${number}.jsonl`;
    const [file, marks] = [name, marksName].map((each) => new GatheredFile(`${this.folder.path}/${each}`));
    file.isGathering = marks.isGathering = this.#isGathering;
    const lines = new LineFile(file, this.#header), first = this.folder.next, before = this.folder.bytes;
    const bytes = () => file.size + (this.folder.bytes - before);
    this.#segments.push({ name, file, marksName, marks, lines, state, needed, first, bytes, submissions: 0 });
    this.#describe({});
  }

  /** Two segments are kept, and the state that the first began with. */
  #dropOld(): void {
    const old = this.#segments.splice(0, Math.max(0, this.#segments.length - 2)), [first] = this.#segments;
    this.#describe({});
    for (const { name, marksName, lines, marks, state } of old) {
      lines.abandon();
      marks.close();
      this.folder.remove(name);
      this.folder.remove(marksName);
      if (state) this.folder.remove(state);
    }
    const needed = new Set(this.#segments.flatMap((each) => [...each.needed]));
    this.folder.sweep(first.first, needed);
  }

  #describe(changes: Partial<RingManifest>): void {
    const segments = this.#segments.slice(-2);
    this.#manifest = {
      ...this.#manifest,
      ...changes,
      segments: segments.map(({ name }) => name),
      submissions: segments.map(({ marksName }) => marksName),
      state: segments[0]?.state,
    };
    this.folder.describe(this.#manifest);
  }

  #enter(call: RecordedCall, isWait: boolean): RingCall {
    const segment = this.#segments.at(-1)!.lines, open = { call, isWait, inner: segment.begin(call, isWait), segment };
    if (!isWait) this.#open.add(open);
    return open;
  }

  #leave(open: RingCall, line: RecordedCall | undefined): void {
    this.#open.delete(open);
    const current = this.#segments.at(-1)!, isLost = line === undefined && this.lost === open.call.command;
    const written = isLost ? { ...open.call, unfinished: true as const } : line;
    if (open.segment === current.lines) current.lines.end(open.inner, written);
    else if (written) current.lines.put(written);
    if (line) this.living.note(line);
    if (line && /^vkQueueSubmit/.test(line.command)) current.submissions++;
    if (!isLost) return;
    this.lost = undefined;
    this.onLost(written!);
  }

  #put(line: RecordedLine): void {
    this.#segments.at(-1)!.lines.put(line);
    this.living.note(line);
  }

  #abandon(): void {
    for (const { lines, marks } of this.#segments) {
      lines.abandon();
      marks.close();
    }
  }

  #close(): void {
    this.#segments.at(-1)!.lines.close();
    this.#describe({ closed: true });
  }
}

/** A part of the ring. */
interface Segment {
  /** The file's name. */
  readonly name: string;
  readonly file: GatheredFile;
  readonly lines: LineFile;
  /** The file with the command buffers that have marks. */
  readonly marksName: string;
  readonly marks: GatheredFile;
  /** The file with the state before the first line; `undefined` at the beginning of the program. */
  readonly state: string | undefined;
  /** The contents that the state needs, by their numbers. */
  readonly needed: ReadonlySet<string>;
  /** The number of the first contents of the segment. */
  readonly first: number;
  /** Bytes of the lines and their contents so far. */
  readonly bytes: () => number;
  submissions: number;
}
