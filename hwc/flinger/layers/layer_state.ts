import { fitted } from "../../arguments.ts";
import { checkOptions, list, number, object, oneOf, type OptionRules, yesOrNo } from "../../../ffi/check_options.ts";
import { BLEND, type Blend, type Color, type Rect, TRANSFORM } from "../../types.ts";
import type { SurfaceLayer } from "./surface_layer.ts";

/** The state of a layer, as a client sets it with transactions. */
export interface LayerState {
  /** The position of the upper left corner, on the display or in the parent. Default 0, 0. */
  readonly position: { readonly x: number; readonly y: number };
  /** Size on the display, in pixels. Default: the size of the crop after the transform. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** The part of the buffer that is shown, before the transform. Default: the producer's crop. */
  readonly crop: Rect | undefined;
  /**
   * A layer with a greater z is above. Layers of equal z are in the order of their creation. Children with a negative z
   * are below their parent. Default 0.
   */
  readonly z: number;
  /** Opacity, 0 to 1, multiplied with that of the parents. Default 1. */
  readonly alpha: number;
  /** A TRANSFORM that is applied after the producer's transform. Default 0. */
  readonly transform: number;
  /** Replaces the producer's dataspace. */
  readonly dataspace: number | undefined;
  /** The blend mode. Default: NONE for a format without alpha, otherwise PREMULTIPLIED. */
  readonly blend: Blend | undefined;
  /** The colour that a layer without a buffer shows, over its size. The colour's alpha is the alpha of each pixel. */
  readonly color: Color | undefined;
  /** A 4×4 matrix, row-major, applied in linear light. */
  readonly colorTransform: readonly number[] | undefined;
  /** Hides the layer and its children. Default `false`. */
  readonly isHidden: boolean;
  /** The layer is shown on the displays of this layer stack. A child has its parent's layer stack. Default 0. */
  readonly layerStack: number;
  /** The parent, with which the layer moves. */
  readonly parent: SurfaceLayer | undefined;
  /** Asks for a cursor plane. Default `false`. */
  readonly isCursor: boolean;
  /** Makes the layer black on displays that are not secure. Default `false`. */
  readonly isSecure: boolean;
}

/** The values that a layer's state accepts. */
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

/** The state of a layer without any change. */
export const DEFAULT_STATE: LayerState = {
  position: { x: 0, y: 0 },
  size: undefined,
  crop: undefined,
  z: 0,
  alpha: 1,
  transform: TRANSFORM.NONE,
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

/** A state with a change. A member that the change names without a value gets its default. */
export function changed(state: LayerState, change: Partial<LayerState>): LayerState {
  const entries = Object.entries({ ...state, ...change });
  const whole = entries.map((
    [name, value],
  ) => [name, value === undefined ? DEFAULT_STATE[name as keyof LayerState] : value]);
  return Object.fromEntries(whole) as unknown as LayerState;
}

/** Checks a change. Throws a `TypeError` for another value, and a `RangeError` for an impossible one. */
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

/** Throws a `TypeError` for a bad number of a layer stack; `undefined` is allowed. */
export function checkStack(layerStack: number | undefined): void {
  if (layerStack !== undefined) fitted("u32", layerStack, "layerStack");
}

/**
 * Refuses missing and infinite numbers: they draw nothing anywhere, and would
 * be the composer's error at every frame.
 */
function checkNumbers(what: string, values: readonly unknown[]): void {
  const wrong = [...values].findIndex((each) => !Number.isFinite(each));
  if (wrong >= 0) refuse(`${what} with ${values[wrong]}`, "finite numbers, none left out");
}

function refuse(found: string, wanted: string): never {
  throw new RangeError(`Cannot give a layer ${found}: give ${wanted}`);
}
