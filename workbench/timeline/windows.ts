import type { TraceWriter } from "./vulkan/trace_writer.ts";
import { NativeWindow } from "../../wsi/window/native_window.ts";
import { windowAt } from "../../wsi/window/window_memory.ts";
import type { BufferFlows } from "./buffer_flows.ts";
import { WindowTracks } from "./window_tracks.ts";

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
