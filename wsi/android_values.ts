/** Android's `status_t`: 0 or a negative errno (`system/core/libutils/include/utils/Errors.h`). */
export const STATUS = {
  OK: 0,
  /** `-ENODEV`: the queue is abandoned, or no producer is connected. */
  NO_INIT: -19,
  /** `-EINVAL` */
  BAD_VALUE: -22,
  /** `-ENOSYS`: not allowed now, such as one buffer too many. */
  INVALID_OPERATION: -38,
  /** `-ENOMEM` */
  NO_MEMORY: -12,
  /** `-EWOULDBLOCK` */
  WOULD_BLOCK: -11,
  /** `-ETIMEDOUT` */
  TIMED_OUT: -110,
  /** `-EPIPE`: the other side is gone. */
  DEAD_OBJECT: -32,
} as const;

/** One of {@linkcode STATUS}; 0 is success. */
export type Status = number;

/** The bytes of a pixel: `HAL_PIXEL_FORMAT_…` of `system/graphics.h`. */
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
  RAW16: 0x20,
  BLOB: 0x21,
  IMPLEMENTATION_DEFINED: 0x22,
  YCBCR_420_888: 0x23,
  RAW_OPAQUE: 0x24,
  RAW10: 0x25,
  RAW12: 0x26,
  YCBCR_422_888: 0x27,
  YCBCR_444_888: 0x28,
  RGBA_1010102: 0x2b,
  DEPTH_16: 0x30,
  DEPTH_24: 0x31,
  DEPTH_24_STENCIL_8: 0x32,
  DEPTH_32F: 0x33,
  DEPTH_32F_STENCIL_8: 0x34,
  STENCIL_8: 0x35,
  YCBCR_P010: 0x36,
  HSV_888: 0x37,
  R_8: 0x38,
  R_16_UINT: 0x39,
  RG_1616_UINT: 0x3a,
  RGBA_10101010: 0x3b,
  Y8: 0x20203859,
  Y16: 0x20363159,
  YV12: 0x32315659,
} as const;

/** The meaning of a pixel's values: `HAL_DATASPACE_…` of `system/graphics.h`. */
export const DATASPACE = {
  UNKNOWN: 0,
  ARBITRARY: 1,
  V0_SRGB: 0x8810000,
  V0_SRGB_LINEAR: 0x8410000,
  V0_SCRGB: 0x18810000,
  V0_SCRGB_LINEAR: 0x18410000,
  DISPLAY_P3: 0x88a0000,
  DCI_P3: 0x94a0000,
  ADOBE_RGB: 0x90b0000,
  V0_BT709: 0x10c10000,
  V0_JFIF: 0x8c20000,
  V0_BT601_625: 0x10c20000,
  V0_BT601_525: 0x10c40000,
  BT2020: 0x8c60000,
  BT2020_PQ: 0x9c60000,
  BT2020_HLG: 0xa060000,
  BT2020_ITU_PQ: 0x11c60000,
  BT2020_ITU_HLG: 0x12060000,
  DISPLAY_BT2020: 0x8860000,
} as const;

/** Dataspaces of frames with linear values that the composer's HAL has no names for. */
export const LINEAR_DATASPACE = {
  DISPLAY_P3: 0x84a0000,
  ADOBE_RGB: 0x84b0000,
  BT2020: 0x8460000,
  /** BT2020 with values below 0 and above 1, which only floating-point formats can hold. */
  EXTENDED_BT2020: 0x18460000,
} as const;

/** A turn of a picture, as `NATIVE_WINDOW_TRANSFORM_…`, `HAL_TRANSFORM_…` and `hwc_transform_t` number them: flips come before the rotation, which is clockwise. */
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

/** `NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY`: the consumer also undoes the turn of its display. */
export const INVERSE_DISPLAY = 8;

/** The producers of a window, `NATIVE_WINDOW_API_…`: the argument of `apiConnect()` and of `connect()`. */
export const WINDOW_API = { EGL: 1, CPU: 2, MEDIA: 3, CAMERA: 4 } as const;

/** The fit of frames of another size, `NATIVE_WINDOW_SCALING_MODE_…`: the argument of `setScalingMode()`. */
export const SCALING_MODE = { FREEZE: 0, SCALE_TO_WINDOW: 1, SCALE_CROP: 2, NO_SCALE_CROP: 3 } as const;

/** `'_wnd'`: ANDROID_NATIVE_WINDOW_MAGIC, the first word of an ANativeWindow. */
export const WINDOW_MAGIC = 0x5f776e64;
