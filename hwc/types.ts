import type { Rect } from "../wsi/contract/window.ts";

export { DATASPACE, FORMAT, TRANSFORM } from "../wsi/android_values.ts";

/** `hwc2_error_t`: the result of a call. AIDL's EX_ codes have the same numbers. */
export const ERROR = {
  NONE: 0,
  BAD_CONFIG: 1,
  BAD_DISPLAY: 2,
  BAD_LAYER: 3,
  BAD_PARAMETER: 4,
  HAS_CHANGES: 5,
  NO_RESOURCES: 6,
  NOT_VALIDATED: 7,
  UNSUPPORTED: 8,
  SEAMLESS_NOT_ALLOWED: 9,
  SEAMLESS_NOT_POSSIBLE: 10,
} as const;

/** `hwc2_composition_t`: who composes a layer. The last two values are composer3's. */
export const COMPOSITION = {
  INVALID: 0,
  CLIENT: 1,
  DEVICE: 2,
  SOLID_COLOR: 3,
  CURSOR: 4,
  SIDEBAND: 5,
  DISPLAY_DECORATION: 6,
  REFRESH_RATE_INDICATOR: 7,
} as const;

/** One of {@linkcode COMPOSITION}. */
export type Composition = number;

/** `hwc2_blend_mode_t`. */
export const BLEND = { INVALID: 0, NONE: 1, PREMULTIPLIED: 2, COVERAGE: 3 } as const;

/** One of {@linkcode BLEND}. */
export type Blend = number;

export type { Rect };

/** A rectangle in pixels and fractions of pixels (`hwc_frect_t`). */
export type FRect = Rect;

/** A colour; each channel from 0 to 1 (`hwc_float_color_t`). */
export interface Color {
  /** Red. */
  readonly r: number;
  /** Green. */
  readonly g: number;
  /** Blue. */
  readonly b: number;
  /** Alpha. */
  readonly a: number;
}
