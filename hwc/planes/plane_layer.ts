import type { ComposeLayer } from "../backends/compose_layer.ts";

/** The properties of a buffer that decide whether a plane can show the buffer. A `GraphicBuffer` has them. */
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

/** A layer as a strategy sees it, without its pixels. */
export interface PlaneLayer extends Omit<ComposeLayer, "buffer"> {
  /** The layer's buffer; absent for a layer of one colour and for a sideband stream. */
  readonly buffer?: PlaneBuffer;
}
