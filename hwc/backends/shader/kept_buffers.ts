import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";

/** Frames that a buffer may go unused before it is let go. */
const PATIENCE = 120;

interface Entry<Kept> {
  /** Our share of it: its memory stays as long as the device sees it. */
  readonly owner: GraphicBuffer;
  readonly kept: Kept;
  used: number;
}

/** The entries of a device for the graphic buffers that it was shown, kept as long as they are used. */
export class KeptBuffers<Kept extends { close(): void }> {
  readonly #make: (buffer: GraphicBuffer) => Kept;
  readonly #entries = new Map<bigint, Entry<Kept>>();
  #frame = 0;

  /** `make` gets a buffer that is new. */
  constructor(make: (buffer: GraphicBuffer) => Kept) {
    this.#make = make;
  }

  /** Counts frames. */
  get frame(): number {
    return this.#frame;
  }

  /** The entry of a buffer, made if the buffer is new. */
  of(buffer: GraphicBuffer): Kept {
    const known = this.#entries.get(buffer.id);
    if (known) {
      known.used = this.#frame;
      return known.kept;
    }
    const kept = this.#make(buffer);
    this.#entries.set(buffer.id, { owner: buffer.retain(), kept, used: this.#frame });
    return kept;
  }

  /** Changes the entry of a buffer, if there is one. */
  touch({ id }: GraphicBuffer, change: (kept: Kept) => void): void {
    const entry = this.#entries.get(id);
    if (entry) change(entry.kept);
  }

  /** Ends a frame: what has not been used for a while is let go, and what all others that had it before have closed. */
  endFrame(): void {
    this.#frame++;
    for (const { owner, used } of this.#entries.values()) {
      if (used < this.#frame - PATIENCE || bufferOfHandle(owner.handle) === owner) this.forget(owner);
    }
  }

  /** Lets a buffer go. */
  forget({ id }: GraphicBuffer): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    entry.kept.close();
    entry.owner.close();
  }

  /** Lets all go. */
  close(): void {
    for (const { owner } of [...this.#entries.values()]) this.forget(owner);
  }
}
