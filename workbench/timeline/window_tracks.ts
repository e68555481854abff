import { timeOf, type TraceWriter, type Track } from "./vulkan/trace_writer.ts";
import type { BufferChange, BufferEvent, QueueWatcher } from "../../wsi/queue/listeners.ts";
import type { BufferFlows } from "./buffer_flows.ts";

/** The slice that a change begins: who has the buffer from now on. */
const STATES: Readonly<Record<BufferChange, string | undefined>> = {
  dequeued: "drawn",
  queued: "queued",
  acquired: "shown",
  cancelled: undefined,
  dropped: undefined,
  released: undefined,
};

/** Frames of a window whose presentation may yet be told of; the oldest are forgotten beyond this number. */
const MOST = 256;

/** A buffer's track, and whether a slice is open on the track. */
interface BufferTrack {
  readonly track: Track;
  isOpen: boolean;
}

/**
 * The tracks of one window: presents and dropped frames, the number of queued
 * frames, and for each buffer who has it.
 */
export class WindowTracks implements QueueWatcher {
  readonly #writer: TraceWriter;
  readonly #frames: BufferFlows;
  readonly #window: Track;
  readonly #queued: Track;
  readonly #buffers = new Map<number, BufferTrack>();
  readonly #name: string;
  /** The arrows of frames that may yet be presented, by their numbers. */
  readonly #flows = new Map<bigint, number>();
  #count: number;

  /** Adds the tracks of a window with this name, which has some queued frames. */
  constructor(writer: TraceWriter, frames: BufferFlows, name: string, queued: number) {
    this.#writer = writer;
    this.#frames = frames;
    this.#window = writer.track(name);
    this.#queued = writer.counter("queued frames", "frames", this.#window);
    this.#name = name;
    writer.count(this.#queued, this.#count = queued);
  }

  /** See {@linkcode QueueWatcher}. */
  onBuffer(event: BufferEvent): void {
    const { change, slot, buffer } = event, frame = Number(event.frame), writer = this.#writer;
    if (change === "queued") this.#mark(event);
    const row = this.#row(slot), state = STATES[change], flows = this.#frames.of(buffer);
    if (row.isOpen) writer.end(row.track);
    row.isOpen = state !== undefined;
    if (change === "dequeued") writer.begin(row.track, state!);
    else if (state) writer.begin(row.track, state, { flows, args: { frame } });
    else if (change !== "released") writer.instant(this.#window, change, { args: { frame } });
    this.#counted({ queued: 1, acquired: -1, dropped: -1 }[change as string] ?? 0);
  }

  /** See {@linkcode QueueWatcher}. */
  onPresented(frame: bigint, when: bigint): void {
    const flows = this.#take(frame), args = { frame: Number(frame) };
    this.#writer.instant(this.#window, "presented", { time: timeOf(when), args, flows });
  }

  /** Ends what is open. */
  close(): void {
    for (const row of this.#buffers.values()) {
      if (row.isOpen) this.#writer.end(row.track);
      row.isOpen = false;
    }
  }

  /** Begins a frame's arrow in the call that queues the frame, where the arrows of the work that drew the frame end. */
  #mark({ buffer, frame }: BufferEvent): void {
    const writer = this.#writer, flow = writer.newFlow(), flows = [...writer.carried, flow];
    this.#frames.set(buffer, { flow, window: this.#name });
    this.#flows.set(frame, flow);
    if (this.#flows.size > MOST) this.#flows.delete(this.#flows.keys().next().value!);
    writer.instant(writer.thread, "queueBuffer", { flows, args: { frame: Number(frame) } });
  }

  /** Returns the arrow of a frame for the last time. */
  #take(frame: bigint): number[] {
    const flow = this.#flows.get(frame);
    this.#flows.delete(frame);
    return flow === undefined ? [] : [flow];
  }

  #row(slot: number): BufferTrack {
    let row = this.#buffers.get(slot);
    if (!row) {
      row = { track: this.#writer.track(`buffer ${slot}`, this.#window), isOpen: false };
      this.#buffers.set(slot, row);
    }
    return row;
  }

  #counted(change: number): void {
    if (change !== 0) this.#writer.count(this.#queued, this.#count += change);
  }
}
