/** The errors that the loader itself raises. */
export const Failure = {
  success: 0x3000,
  notInitialized: 0x3001,
  badAccess: 0x3002,
  badAttribute: 0x3004,
  badConfig: 0x3005,
  badContext: 0x3006,
  badDisplay: 0x3008,
  badMatch: 0x3009,
  badNativeWindow: 0x300B,
  badParameter: 0x300C,
  badSurface: 0x300D,
} as const;

/** EGL_NONE, the end of attribute lists. */
export const NONE = 0x3038;
