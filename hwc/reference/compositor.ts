import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { PlaneLayer } from "../planes/plane_layer.ts";
import type { Color, Rect } from "../types.ts";

/** A layer that is composed: a {@linkcode PlaneLayer} with its real buffer. */
export interface FrameLayer extends PlaneLayer {
  /** Its pixels. */
  readonly buffer?: GraphicBuffer;
}

/** How pixels are put together. */
export interface ComposeSettings {
  /** The parts of the target that are drawn. Default: all. */
  readonly damage?: readonly Rect[];
  /** The target's dataspace; 0: pixels pass through. */
  readonly dataspace?: number;
  /** What is where no layer is. Default: transparent black. */
  readonly background?: Color;
}

/** Draws layers, the lowest z first, into a buffer; when it returns, the pixels are there. A backend's `compose`. */
export type Compositor = (target: GraphicBuffer, layers: readonly FrameLayer[], settings: ComposeSettings) => unknown;
