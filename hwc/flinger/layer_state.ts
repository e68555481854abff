import { fitted } from "../arguments.ts";
import { checkOptions, list, number, object, oneOf, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import { BLEND, type Blend, type Color, type Rect } from "../types.ts";
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

/** What can be said of a layer, and what fits. */
export const STATE_RULES: OptionRules<LayerState> = {
  position: object("an object of x and y"),
  size: object("an object of width and height"),
  crop: object("a rectangle"),
  z: number,
  alpha: number,
  transform: number,
  dataspace: number,
  blend: oneOf(...Object.values(BLEND).slice(1)),
  color: object("a colour"),
  colorTransform: list("sixteen numbers", number),
  isHidden: yesOrNo,
  layerStack: number,
  parent: object("a layer"),
  isCursor: yesOrNo,
  isSecure: yesOrNo,
};

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

/** Throws a `TypeError` for what is no change, and a `RangeError` for what cannot be. */
export function checkChange(change: Partial<LayerState>): void {
  checkOptions("a layer", change, STATE_RULES);
  const { alpha, transform, size, z, colorTransform, position, crop, color, dataspace, layerStack } = change;
  if (alpha !== undefined && !(alpha >= 0 && alpha <= 1)) refuse(`an alpha of ${alpha}`, "0 to 1");
  if (transform !== undefined && !(Number.isInteger(transform) && transform >= 0 && transform <= 7)) {
    refuse(`transform ${transform}`, "one of TRANSFORM, 0 to 7");
  }
  if (position) checkNumbers("a position", [position.x, position.y]);
  if (size && !(size.width > 0 && size.height > 0 && [size.width, size.height].every(Number.isFinite))) {
    refuse(`a size of ${size.width} by ${size.height}`, "pixels above 0, or isHidden");
  }
  if (crop) checkNumbers("a crop", [crop.left, crop.top, crop.right, crop.bottom]);
  if (color) checkNumbers("a colour", [color.r, color.g, color.b, color.a]);
  if (dataspace !== undefined) fitted("i32", dataspace, "a layer's dataspace");
  checkStack(layerStack);
  if (z !== undefined && !Number.isFinite(z)) refuse(`z ${z}`, "a number");
  if (colorTransform) {
    checkNumbers("a colour transform", colorTransform);
    if (colorTransform.length !== 16) refuse(`a colour transform of ${colorTransform.length} numbers`, "16");
  }
}

/** Throws a `TypeError` for the number of a layer stack that is none; one that is left out is another's. */
export function checkStack(layerStack: number | undefined): void {
  if (layerStack !== undefined) fitted("u32", layerStack, "layerStack");
}

/** What is missing or infinite draws nothing anywhere, and would be the composer's error at every frame. */
function checkNumbers(what: string, values: readonly unknown[]): void {
  const wrong = [...values].findIndex((each) => !Number.isFinite(each));
  if (wrong >= 0) refuse(`${what} with ${values[wrong]}`, "finite numbers, none left out");
}

function refuse(found: string, wanted: string): never {
  throw new RangeError(`Cannot give a layer ${found}: give ${wanted}`);
}
