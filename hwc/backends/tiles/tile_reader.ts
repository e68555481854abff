import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";

/** Reads buffers whose pixels lie in tiles. */
export interface TileReader {
  /** Returns `true` if the reader knows how the pixels of a buffer lie; else a sentence that says why not. */
  reads(buffer: GraphicBuffer): true | string;
  /** Copies the pixels of a buffer that it reads to the rows of another, of the same size and row pitch. */
  copy(from: GraphicBuffer, to: GraphicBuffer): void;
  /** Frees what is kept about a buffer that it has copied. */
  forget?(buffer: GraphicBuffer): void;
}
