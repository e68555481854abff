import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { registerLayout } from "../../../wsi/buffer/layout.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { COMPOSITION } from "../../types.ts";
import { CompositionError } from "../backend.ts";
import type { ComposeLayer } from "../compose_layer.ts";
import { KeptBuffers } from "../shader/kept_buffers.ts";
import type { TileReader } from "./tile_reader.ts";

/** Rows of pixels for layers whose buffers are tiled, since painters read rows. */
export class LinearCopies {
  readonly #readers: readonly TileReader[];
  readonly #kept = new KeptBuffers((buffer) => {
    const copy = allocateRows(buffer);
    const close = () => {
      for (const reader of this.#readers) reader.forget?.(buffer);
      copy.close();
    };
    return { copy, close };
  });

  /** The first reader that knows how a buffer's pixels lie copies the buffer. */
  constructor(readers: readonly TileReader[]) {
    this.#readers = readers;
  }

  /** Returns `true` if a layer's pixels can be read; else a sentence that says why not. */
  can(layer: ComposeLayer): true | string {
    const buffer = tiledBuffer(layer);
    return !buffer || this.#readerOf(buffer) !== undefined || this.#reasons(buffer);
  }

  /** Returns a layer with rows, into which nothing was copied: for questions. */
  shape(layer: ComposeLayer): ComposeLayer {
    const buffer = tiledBuffer(layer);
    return buffer ? { ...layer, buffer: this.#kept.of(buffer).copy } : layer;
  }

  /** Returns the layers with rows of the present pixels. Throws a `CompositionError` `cannot-compose`. */
  fill(layers: readonly ComposeLayer[]): readonly ComposeLayer[] {
    if (!layers.some(tiledBuffer)) return layers;
    return layers.map((layer, index) => {
      const buffer = tiledBuffer(layer);
      if (!buffer) return layer;
      const reader = this.#readerOf(buffer) ?? this.#refuse(index, layer, buffer), shape = this.shape(layer);
      reader.copy(buffer, shape.buffer!);
      return shape;
    });
  }

  /** Ends a frame: copies of buffers that have not been drawn for a while are given back. */
  endFrame(): void {
    this.#kept.endFrame();
  }

  /** Frees the copy of a buffer. */
  forget(buffer: GraphicBuffer): void {
    this.#kept.forget(buffer);
  }

  /** Frees all copies. */
  close(): void {
    this.#kept.close();
  }

  #readerOf(buffer: GraphicBuffer): TileReader | undefined {
    return this.#readers.find((reader) => reader.reads(buffer) === true);
  }

  #refuse(index: number, { name }: ComposeLayer, buffer: GraphicBuffer): never {
    const which = `layer ${index}${name ? ` "${name}"` : ""}`;
    throw new CompositionError("cannot-compose", `Cannot compose ${which}: ${this.#reasons(buffer)}`);
  }

  #reasons(buffer: GraphicBuffer): string {
    return this.#readers.map((reader) => reader.reads(buffer)).join("; ");
  }
}

/** The buffer of a layer that is drawn from a tiled buffer. */
function tiledBuffer({ buffer, composition }: ComposeLayer): GraphicBuffer | undefined {
  const isRead = buffer && !buffer.isClosed && composition !== COMPOSITION.SOLID_COLOR;
  return isRead && buffer.modifier !== MODIFIER.LINEAR ? buffer : undefined;
}

/** A buffer of rows with the size, the format and the row pitch of a tiled one. */
function allocateRows({ width, height, format, rowPitch }: GraphicBuffer): GraphicBuffer {
  const rule = registerLayout(() => ({ rowPitch, size: 0 }));
  try {
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | rule.usage;
    return allocateBuffer({ width, height, format, usage });
  } finally {
    rule.forget();
  }
}
