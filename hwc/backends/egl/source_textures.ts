import type { Gl } from "../../../egl/mod.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { KeptBuffers } from "../shader/kept_buffers.ts";
import type { Source } from "../plan/step.ts";
import { WordTexture } from "./word_texture.ts";

/** The textures and state of a buffer. */
interface KeptTexture {
  readonly words: WordTexture;
  /** The frame in which its pixels were copied; -1 if they are others now. */
  uploaded: number;
  close(): void;
}

/** Graphic buffers as textures. */
export class SourceTextures {
  /** The entries kept for buffers; this map ends and forgets them. */
  readonly kept: KeptBuffers<KeptTexture>;

  /** Makes a store without textures. */
  constructor(gl: Gl) {
    this.kept = new KeptBuffers(({ memory: { size } }) => {
      const words = new WordTexture(gl, size);
      return { words, uploaded: -1, close: () => words.close() };
    });
  }

  /** The texture of a buffer to read, with the pixels that it has now. */
  of({ buffer, isUnchanged }: Source): number {
    const kept = this.kept.of(buffer!), { frame } = this.kept;
    const isGood = kept.uploaded === frame || isUnchanged && kept.uploaded >= 0;
    if (!isGood) kept.words.upload(buffer!.memory.address);
    kept.uploaded = frame;
    return kept.words.texture;
  }

  /** Forgets a buffer's pixels, because somebody draws into the buffer. */
  drawnInto(buffer: GraphicBuffer): void {
    this.kept.touch(buffer, (kept) => kept.uploaded = -1);
  }
}
