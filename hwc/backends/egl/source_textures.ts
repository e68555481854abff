import type { Gl } from "../../../egl/mod.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { KeptBuffers } from "../kept_buffers.ts";
import type { Source } from "../step.ts";
import { WordTexture } from "./word_texture.ts";

/** Graphic buffers as textures. */
export class SourceTextures {
  readonly #kept: KeptBuffers<{ readonly words: WordTexture; uploaded: number; close(): void }>;

  /** Empty. */
  constructor(gl: Gl) {
    this.#kept = new KeptBuffers(({ memory: { size } }) => {
      const words = new WordTexture(gl, size);
      return { words, uploaded: -1, close: () => words.close() };
    });
  }

  /** The texture of a buffer to read, with the pixels that it has now. */
  of({ buffer, isUnchanged }: Source): number {
    const kept = this.#kept.of(buffer!), { frame } = this.#kept;
    const isGood = kept.uploaded === frame || isUnchanged && kept.uploaded >= 0;
    if (!isGood) kept.words.upload(buffer!.memory.address);
    kept.uploaded = frame;
    return kept.words.texture;
  }

  /** A buffer is drawn into: what was known of its pixels is no more. */
  drawnInto(buffer: GraphicBuffer): void {
    this.#kept.touch(buffer, (kept) => kept.uploaded = -1);
  }

  /** Ends a frame: what is not used any more is let go. */
  endFrame(): void {
    this.#kept.endFrame();
  }

  /** Lets a buffer go. */
  forget(buffer: GraphicBuffer): void {
    this.#kept.forget(buffer);
  }

  /** Lets all go. */
  close(): void {
    this.#kept.close();
  }
}
