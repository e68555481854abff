import { timeOf, type TraceWriter, type Track } from "./vulkan/trace_writer.ts";
import { NativeWindow } from "../../wsi/window/native_window.ts";
import { windowAt } from "../../wsi/window/window_memory.ts";
import type { BufferChange, BufferEvent, QueueWatcher } from "../../wsi/queue/listeners.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";

/** All windows of a trace. */
export class Windows {
  readonly #writer: TraceWriter;
  readonly #frames: BufferFlows;
  readonly #watched = new Map<NativeWindow, () => void>();
  #count = 0;

  /** Starts without windows. */
  constructor(writer: TraceWriter, frames: BufferFlows) {
    this.#writer = writer;
    this.#frames = frames;
  }

  /** Watches a window from now on. Returns a function that ends this. A window that is watched stays so. */
  watch(window: NativeWindow): () => void {
    const known = this.#watched.get(window);
    if (known) return known;
    for (const [each, end] of this.#watched) if (each.query("IS_VALID") === 0) end();
    const { width, height, pending } = window.frames, own = window.name === undefined ? "" : ` "${window.name}"`;
    const name = `window ${++this.#count}${own} (${width}×${height})`;
    const tracks = new WindowTracks(this.#writer, this.#frames, name, pending);
    const unwatch = window.watch(tracks);
    const end = () => {
      unwatch();
      tracks.close();
      this.#watched.delete(window);
    };
    this.#watched.set(window, end);
    return end;
  }

  /** Watches the window at an address, if this library made the window. */
  watchAt(address: bigint): void {
    const window = windowAt(address);
    if (window instanceof NativeWindow) this.watch(window);
  }

  /** Ends all tracks. */
  close(): void {
    for (const end of [...this.#watched.values()]) end();
  }
}

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
class WindowTracks implements QueueWatcher {
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

/** The origin of the frame in a buffer. */
export interface BufferFlow {
  /** The arrow from the window to whoever shows the frame. */
  readonly flow: number;
  /** The window's name. */
  readonly window: string;
}

/** The frames of traced windows, by their buffers. */
export class BufferFlows {
  readonly #flows = new WeakMap<GraphicBuffer, BufferFlow>();

  /** Notes the frame that was queued in a buffer. */
  set(buffer: GraphicBuffer, flow: BufferFlow): void {
    this.#flows.set(buffer, flow);
  }

  /** Returns the frame's arrow as a list; empty if the frame came from no traced window. */
  of(buffer: GraphicBuffer): readonly number[] {
    const found = this.#flows.get(buffer);
    return found ? [found.flow] : [];
  }

  /** Returns the name of the window that the frame came from. */
  windowOf(buffer: GraphicBuffer): string | undefined {
    return this.#flows.get(buffer)?.window;
  }
}
