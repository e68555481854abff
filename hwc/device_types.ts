/** `hwc2_attribute_t`. */
export const ATTRIBUTE = {
  INVALID: 0,
  WIDTH: 1,
  HEIGHT: 2,
  /** In nanoseconds. */
  VSYNC_PERIOD: 3,
  /** Dots per 1000 inches; -1 if unknown. */
  DPI_X: 4,
  DPI_Y: 5,
  CONFIG_GROUP: 7,
} as const;

/** `hwc2_capability_t`, with the additions of AIDL's composer3. */
export const CAPABILITY = {
  INVALID: 0,
  SIDEBAND_STREAM: 1,
  SKIP_CLIENT_COLOR_TRANSFORM: 2,
  PRESENT_FENCE_IS_NOT_RELIABLE: 3,
  SKIP_VALIDATE: 4,
  BOOT_DISPLAY_CONFIG: 5,
  HDR_OUTPUT_CONVERSION_CONFIG: 6,
  REFRESH_RATE_CHANGED_CALLBACK_DEBUG: 7,
  LAYER_LIFECYCLE_BATCH_COMMAND: 8,
} as const;

/** `hwc2_display_capability_t`; PROTECTED_CONTENTS and the values after it are not in the C header. */
export const DISPLAY_CAPABILITY = {
  INVALID: 0,
  SKIP_CLIENT_COLOR_TRANSFORM: 1,
  DOZE: 2,
  BRIGHTNESS: 3,
  PROTECTED_CONTENTS: 4,
  AUTO_LOW_LATENCY_MODE: 5,
  SUSPEND: 6,
  DISPLAY_IDLE_TIMER: 7,
  MULTI_THREADED_PRESENT: 8,
} as const;

/** `hwc2_connection_t`. */
export const CONNECTION = { INVALID: 0, CONNECTED: 1, DISCONNECTED: 2 } as const;

/** `hwc2_display_type_t`. */
export const DISPLAY_TYPE = { INVALID: 0, PHYSICAL: 1, VIRTUAL: 2 } as const;

/** `hwc2_display_connection_type_t`. */
export const CONNECTION_TYPE = { INTERNAL: 0, EXTERNAL: 1 } as const;

/** `hwc2_power_mode_t`. */
export const POWER_MODE = { OFF: 0, DOZE: 1, ON: 2, DOZE_SUSPEND: 3 } as const;

/** `hwc2_vsync_t`. */
export const VSYNC = { INVALID: 0, ENABLE: 1, DISABLE: 2 } as const;

/** `hwc2_display_request_t`: bits. */
export const DISPLAY_REQUEST = { FLIP_CLIENT_TARGET: 1, WRITE_CLIENT_TARGET_TO_OUTPUT: 2 } as const;

/** `hwc2_layer_request_t`: bits. */
export const LAYER_REQUEST = { CLEAR_CLIENT_TARGET: 1 } as const;

/** `hwc2_content_type_t`. */
export const CONTENT_TYPE = { NONE: 0, GRAPHICS: 1, PHOTO: 2, CINEMA: 3, GAME: 4 } as const;

/** `hwc2_displayed_content_sampling_t`. */
export const CONTENT_SAMPLING = { INVALID: 0, ENABLE: 1, DISABLE: 2 } as const;

/** `android_color_mode_t`. */
export const COLOR_MODE = {
  NATIVE: 0,
  STANDARD_BT601_625: 1,
  STANDARD_BT601_625_UNADJUSTED: 2,
  STANDARD_BT601_525: 3,
  STANDARD_BT601_525_UNADJUSTED: 4,
  STANDARD_BT709: 5,
  DCI_P3: 6,
  SRGB: 7,
  ADOBE_RGB: 8,
  DISPLAY_P3: 9,
  BT2020: 10,
  BT2100_PQ: 11,
  BT2100_HLG: 12,
  DISPLAY_BT2020: 13,
} as const;

/** `android_render_intent_v1_1_t`. */
export const RENDER_INTENT = { COLORIMETRIC: 0, ENHANCE: 1, TONE_MAP_COLORIMETRIC: 2, TONE_MAP_ENHANCE: 3 } as const;

/** `android_color_transform_t`. */
export const COLOR_TRANSFORM = {
  IDENTITY: 0,
  ARBITRARY_MATRIX: 1,
  VALUE_INVERSE: 2,
  GRAYSCALE: 3,
  CORRECT_PROTANOPIA: 4,
  CORRECT_DEUTERANOPIA: 5,
  CORRECT_TRITANOPIA: 6,
} as const;

/** `HdcpLevel` of AIDL: the protection of a link. */
export const HDCP_LEVEL = {
  UNKNOWN: 0,
  NONE: 1,
  V1: 2,
  V2: 3,
  V2_1: 4,
  V2_2: 5,
  NO_OUTPUT: 6,
  V2_3: 7,
} as const;

/** `android_hdr_t`. */
export const HDR = { DOLBY_VISION: 1, HDR10: 2, HLG: 3, HDR10_PLUS: 4, DOLBY_VISION_4K30: 5 } as const;

/** `hwc2_per_frame_metadata_key_t`. */
export const METADATA_KEY = {
  DISPLAY_RED_PRIMARY_X: 0,
  DISPLAY_RED_PRIMARY_Y: 1,
  DISPLAY_GREEN_PRIMARY_X: 2,
  DISPLAY_GREEN_PRIMARY_Y: 3,
  DISPLAY_BLUE_PRIMARY_X: 4,
  DISPLAY_BLUE_PRIMARY_Y: 5,
  WHITE_POINT_X: 6,
  WHITE_POINT_Y: 7,
  MAX_LUMINANCE: 8,
  MIN_LUMINANCE: 9,
  MAX_CONTENT_LIGHT_LEVEL: 10,
  MAX_FRAME_AVERAGE_LIGHT_LEVEL: 11,
  HDR10_PLUS_SEI: 12,
} as const;

/** `hwc2_callback_descriptor_t`. The values from 100 on are callbacks of composer3, which numbers none of them. */
export const CALLBACK = {
  INVALID: 0,
  HOTPLUG: 1,
  REFRESH: 2,
  VSYNC: 3,
  VSYNC_2_4: 4,
  VSYNC_PERIOD_TIMING_CHANGED: 5,
  SEAMLESS_POSSIBLE: 6,
  VSYNC_IDLE: 100,
  REFRESH_RATE_CHANGED_DEBUG: 101,
  HDCP_LEVELS_CHANGED: 102,
} as const;
