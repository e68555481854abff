import type { Rect } from "../wsi/contract/window.ts";

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

/** `hwc_transform_t`: flips come before the rotation, which is clockwise. */
export const TRANSFORM = {
  NONE: 0,
  FLIP_H: 1,
  FLIP_V: 2,
  ROT_180: 3,
  ROT_90: 4,
  FLIP_H_ROT_90: 5,
  FLIP_V_ROT_90: 6,
  ROT_270: 7,
} as const;

/** HAL pixel formats. */
export const FORMAT = {
  RGBA_8888: 0x1,
  RGBX_8888: 0x2,
  RGB_888: 0x3,
  RGB_565: 0x4,
  BGRA_8888: 0x5,
  YCBCR_422_SP: 0x10,
  YCRCB_420_SP: 0x11,
  YCBCR_422_I: 0x14,
  RGBA_FP16: 0x16,
  BLOB: 0x21,
  IMPLEMENTATION_DEFINED: 0x22,
  YCBCR_420_888: 0x23,
  RGBA_1010102: 0x2b,
  YCBCR_P010: 0x36,
  R_8: 0x38,
  Y8: 0x20203859,
  Y16: 0x20363159,
  YV12: 0x32315659,
} as const;

/** `android_dataspace_t`. */
export const DATASPACE = {
  UNKNOWN: 0,
  ARBITRARY: 1,
  V0_SRGB: 142671872,
  V0_SRGB_LINEAR: 138477568,
  V0_SCRGB: 411107328,
  V0_SCRGB_LINEAR: 406913024,
  DISPLAY_P3: 143261696,
  DCI_P3: 155844608,
  ADOBE_RGB: 151715840,
  V0_BT709: 281083904,
  V0_JFIF: 146931712,
  V0_BT601_625: 281149440,
  V0_BT601_525: 281280512,
  BT2020: 147193856,
  BT2020_PQ: 163971072,
  BT2020_HLG: 168165376,
  BT2020_ITU_PQ: 298188800,
  BT2020_ITU_HLG: 302383104,
  DISPLAY_BT2020: 142999552,
} as const;

export type { Rect };

/** A rectangle in fractions of pixels (`hwc_frect_t`). */
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
