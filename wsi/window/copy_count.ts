import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";

/** Counts the copies of a window's buffers, including closed buffers. */
export class CopyCount {
  readonly #buffers = new Set<GraphicBuffer>();
  #gone = 0;

  /** Counts a buffer's copies from now on. */
  add(buffer: GraphicBuffer): void {
    this.#settle();
    this.#buffers.add(buffer);
  }

  /** The number of copies so far. */
  get sum(): number {
    this.#settle();
    let sum = this.#gone;
    for (const { copies } of this.#buffers) sum += copies;
    return sum;
  }

  #settle(): void {
    for (const buffer of this.#buffers) {
      if (!buffer.isClosed) continue;
      this.#gone += buffer.copies;
      this.#buffers.delete(buffer);
    }
  }
}
