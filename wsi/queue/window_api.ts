/** Who draws into a window, `NATIVE_WINDOW_API_…`: the argument of `apiConnect()` and of `connect()`. */
export const WINDOW_API = { EGL: 1, CPU: 2, MEDIA: 3, CAMERA: 4 } as const;
