import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";

/** Where the frame in a buffer comes from. */
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
