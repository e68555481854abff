import type { EglAttributes } from "../command/input.ts";
import type { EGLConfig, EGLDisplay, EGLSurface } from "../command/types.ts";
import type { LayeredEgl } from "../layers/layered_egl.ts";
import type { EglWindows } from "./install.ts";

/** A window: its address, or what has one. */
export type NativeWindowType = number | bigint | { readonly address: bigint };

/** A loader with layers and window surfaces. */
export interface WindowedEgl extends LayeredEgl {
  /** What is put on top of the driver for windows, buffers and fences. */
  readonly windows: EglWindows;
  /** A surface that shows in a window of `@pumice/gfx/wsi`. */
  eglCreateWindowSurface(
    dpy: EGLDisplay,
    config: EGLConfig,
    win: NativeWindowType,
    attrib_list?: EglAttributes | null,
  ): EGLSurface;
  /** The same, with attributes as wide as pointers. */
  eglCreatePlatformWindowSurface(
    dpy: EGLDisplay,
    config: EGLConfig,
    native_window: NativeWindowType,
    attrib_list?: EglAttributes | null,
  ): EGLSurface;
  /** The same, of EGL_EXT_platform_base. */
  eglCreatePlatformWindowSurfaceEXT(
    dpy: EGLDisplay,
    config: EGLConfig,
    native_window: NativeWindowType,
    attrib_list?: EglAttributes | null,
  ): EGLSurface;
}
