import type { Blend, Color, Rect } from "../types.ts";
import type { SurfaceLayer } from "./surface_layer.ts";

/** What a client says of a layer; changed by transactions. */
export interface LayerState {
  /** Where its upper left corner is: on the display, or in its parent. Default 0, 0. */
  readonly position: { readonly x: number; readonly y: number };
  /** Pixels on the display. Default: the part of the buffer that is shown, turned as it is shown. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** The part of the buffer that is shown, before the transform. Default: what the producer says. */
  readonly crop: Rect | undefined;
  /** Greater is above; equal ones as they were made. Children below 0 are under their parent. Default 0. */
  readonly z: number;
  /** 0 to 1; its parents' count, too. Default 1. */
  readonly alpha: number;
  /** A TRANSFORM that comes after the producer's. Default 0. */
  readonly transform: number;
  /** Instead of the producer's. */
  readonly dataspace: number | undefined;
  /** Default: NONE for what has no alpha, else PREMULTIPLIED. */
  readonly blend: Blend | undefined;
  /** What a layer without a buffer shows, over its size. Its alpha is the layer's. */
  readonly color: Color | undefined;
  /** 4×4, row-major, on linear light. */
  readonly colorTransform: readonly number[] | undefined;
  /** It and its children are not shown. Default `false`. */
  readonly isHidden: boolean;
  /** Which displays show it: those of this layer stack; its parent's counts. Default 0. */
  readonly layerStack: number;
  /** It moves with its parent. */
  readonly parent: SurfaceLayer | undefined;
  /** Asks for a cursor plane. Default `false`. */
  readonly isCursor: boolean;
  /** Black on displays that are not secure. Default `false`. */
  readonly isSecure: boolean;
}

/** A layer of which nothing was said. */
export const DEFAULT_STATE: LayerState = {
  position: { x: 0, y: 0 },
  size: undefined,
  crop: undefined,
  z: 0,
  alpha: 1,
  transform: 0,
  dataspace: undefined,
  blend: undefined,
  color: undefined,
  colorTransform: undefined,
  isHidden: false,
  layerStack: 0,
  parent: undefined,
  isCursor: false,
  isSecure: false,
};

/** Throws a `RangeError` for what cannot be. */
export function checkChange({ alpha, transform, size, z, colorTransform }: Partial<LayerState>): void {
  if (alpha !== undefined && !(alpha >= 0 && alpha <= 1)) refuse(`an alpha of ${alpha}`, "0 to 1");
  if (transform !== undefined && !(Number.isInteger(transform) && transform >= 0 && transform <= 7)) {
    refuse(`transform ${transform}`, "one of TRANSFORM, 0 to 7");
  }
  if (size && !(size.width > 0 && size.height > 0)) {
    refuse(`a size of ${size.width} by ${size.height}`, "pixels above 0, or isHidden");
  }
  if (z !== undefined && !Number.isFinite(z)) refuse(`z ${z}`, "a number");
  if (colorTransform && colorTransform.length !== 16) {
    refuse(`a colour transform of ${colorTransform.length} numbers`, "16");
  }
}

function refuse(found: string, wanted: string): never {
  throw new RangeError(`Cannot give a layer ${found}: give ${wanted}`);
}
