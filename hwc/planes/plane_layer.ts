import type { ComposeLayer } from "../backends/compose_layer.ts";

/** What of a buffer decides whether a plane can show it. A GraphicBuffer has it. */
export interface PlaneBuffer {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** HAL pixel format. */
  readonly format: number;
  /** Usage bits. */
  readonly usage: bigint;
}

/** A layer as the strategy sees it: as it is composed, but nobody looks at the pixels. */
export interface PlaneLayer extends Omit<ComposeLayer, "buffer"> {
  /** What it shows. Layers of one colour and sideband streams have none. */
  readonly buffer?: PlaneBuffer;
}
