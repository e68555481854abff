import { PbfWriter } from "pbf";
import { libcAddress } from "../../../ffi/libc.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { nanoseconds } from "../../../loader/layers/shipped/native/clock.ts";
import { type NativeFile, newFile } from "../../../loader/layers/shipped/native/file.ts";
import { prepareHooks } from "../../../loader/layers/shipped/native/prepare.ts";
import type { Annotation } from "./annotation.ts";
import {
  type EventPacket,
  type PlainEnd,
  plainEvent,
  type TrackPacket,
  writeEvent,
  writePlain,
  writeStart,
  writeTrack,
} from "./packets.ts";
import { TRACE, TYPE } from "./schema.ts";

/** Bytes that wait in memory for the file. */
const MOST_WAITING = 32 * 1024;
/** The longest time that an event waits for the file while other events follow, in nanoseconds. */
const LONGEST_WAIT = 100e6;

/** The details beside an event. */
export interface EventDetails {
  /** The time of the event, in nanoseconds of CLOCK_MONOTONIC. Default: now. */
  readonly time?: number;
  /** Values that the viewer shows for the event. */
  readonly args?: Readonly<Record<string, Annotation>>;
  /** Arrows that begin, pass or end here: results of {@linkcode TraceWriter.newFlow}. */
  readonly flows?: readonly number[];
}

/** A number for each track, by which events name the track. */
export type Track = number;

/**
 * A trace file of Perfetto, written as events happen. Whole packets are written
 * at once, so that the file of a process that died can be read up to its last
 * flush. A failed write ends the trace, not the program. Memory holds the names
 * of events and at most {@linkcode MOST_WAITING} bytes and one packet.
 */
export class TraceWriter implements Disposable {
  /** The track of the thread that made the writer. */
  readonly thread: Track;
  /** Arrows that end in the call that is being made on that thread. What the call does, such as a present, hands them on. */
  carried: readonly number[] = [];
  /** The error of a failed write. Nothing is written afterwards. */
  error: unknown;
  readonly #process: Track;
  readonly #file: NativeFile;
  readonly #names = new Map<string, number>();
  /** The ends of events without details, by track, then by name and type. */
  readonly #plain: (PlainEnd | undefined)[][] = [];
  #out = new PbfWriter();
  #tracks = 0;
  #flows = 0;
  #flushed = 0;
  #isOpen = true;

  /** Creates the file. Throws an `Error` if the system refuses. Not for use inside a callback. */
  constructor(path: string) {
    prepareHooks();
    this.#file = newFile(path, "perfettoTrace({ path })");
    this.#packet(writeStart, nanoseconds());
    const tid = bindByAddress("s:")(libcAddress("gettid")) as number; // pid_t gettid(void)
    this.#process = this.#describe({ process: { pid: Deno.pid, name: "deno" } });
    this.thread = this.threadTrack(tid, "JavaScript");
    this.flush();
  }

  /** Whether events are still written. */
  get isOpen(): boolean {
    return this.#isOpen && this.error === undefined;
  }

  /** Adds a track below another one, or below the process. */
  track(name: string, parent: Track = this.#process): Track {
    return this.#describe({ name, parent });
  }

  /** Adds a track for a thread of this process, by the system's number of the thread. */
  threadTrack(tid: number, name: string): Track {
    return this.#describe({ parent: this.#process, thread: { pid: Deno.pid, tid, name } });
  }

  /** Adds a track for numbers of a unit. */
  counter(name: string, unit: string, parent: Track = this.#process): Track {
    return this.#describe({ name, parent, counter: { unit } });
  }

  /** Returns the number of a new arrow between events. */
  newFlow(): number {
    return ++this.#flows;
  }

  /** Begins a slice. Slices of one track must not overlap, except that one lies inside the other. */
  begin(track: Track, name: string, details?: EventDetails): void {
    this.#event(TYPE.SLICE_BEGIN, track, name, details);
  }

  /** Ends the slice of a track that began last. */
  end(track: Track, details?: EventDetails): void {
    this.#event(TYPE.SLICE_END, track, undefined, details);
  }

  /** Writes a slice without duration. */
  instant(track: Track, name: string, details?: EventDetails): void {
    this.#event(TYPE.INSTANT, track, name, details);
  }

  /** Writes the value that a counter has from now on. */
  count(track: Track, value: number): void {
    this.#event(TYPE.COUNTER, track, undefined, undefined, value);
  }

  /** Gives everything to the system. */
  flush(): void {
    if (!this.isOpen) return;
    const bytes = this.#out.finish(), { size } = this.#file;
    this.#flushed = nanoseconds();
    try {
      this.#file.write(bytes);
    } catch (error) {
      this.error = error;
      this.#file.cutTo(size); // a part of a packet is no packet
    }
    this.#out.length = this.#out.buf.length; // the same memory again
  }

  /** Writes the rest and closes the file. A second call does nothing. */
  close(): void {
    if (!this.#isOpen) return;
    this.flush();
    this.#isOpen = false;
    this.#file.close();
  }

  /** See {@linkcode TraceWriter.close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  #describe(track: Omit<TrackPacket, "uuid">): Track {
    const uuid = ++this.#tracks;
    this.#packet(writeTrack, { uuid, ...track });
    return uuid;
  }

  #event(type: number, track: Track, text: string | undefined, details?: EventDetails, value?: number): void {
    const known = text === undefined ? 0 : this.#names.get(text);
    if (details === undefined && value === undefined && known !== undefined) {
      return this.#plainEvent(type, track, known);
    }
    const { time = nanoseconds(), args, flows } = details ?? {};
    const name = text === undefined ? undefined : known ?? this.#names.size + 1;
    const newName = known === undefined ? text : undefined;
    if (newName !== undefined) this.#names.set(newName, name!);
    this.#packet<EventPacket>(writeEvent, { type, track, time, name, newName, value, args, flows });
    this.#flushAt(time);
  }

  /** Writes an event that happens now, without details: nearly all events are such. 0 stands for no name. */
  #plainEvent(type: number, track: Track, name: number): void {
    if (!this.isOpen) return;
    const time = nanoseconds(), kept = this.#plain[track] ??= [], place = 8 * name + type;
    const rest = kept[place] ??= plainEvent({ type, track, name: name === 0 ? undefined : name });
    writePlain(time, rest, this.#out);
    this.#flushAt(time);
  }

  #flushAt(time: number): void {
    if (this.#out.pos > MOST_WAITING || time - this.#flushed > LONGEST_WAIT) this.flush();
  }

  #packet<T>(write: (packet: T, out: PbfWriter) => void, packet: T): void {
    if (this.isOpen) this.#out.writeMessage(TRACE.packet, write, packet);
  }
}

/** Nanoseconds by which a time may differ from now and still be of the same clock. */
const SAME_CLOCK = 1e9;

/**
 * Returns when something was that others say has just happened. A simulated
 * clock that does not run with CLOCK_MONOTONIC is not believed: then it is now.
 */
export function timeOf(time: bigint): number {
  const now = nanoseconds();
  return Math.abs(Number(time) - now) < SAME_CLOCK ? Math.min(now, Number(time)) : now;
}
