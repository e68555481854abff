import type { EglAttributes } from "../command/input.ts";
import type { EGLConfig, EGLDisplay, EGLSurface } from "../command/types.ts";
import type { LayeredEgl } from "../layers/layered_egl.ts";
import type { EglWindows } from "./install.ts";

/** A window: its address, or an object with an `address`. */
export type NativeWindowType = number | bigint | { readonly address: bigint };

/** A loader with layers and window surfaces. */
export interface WindowedEgl extends LayeredEgl {
  /** The extensions for windows, buffers and fences that the loader provides over the driver. */
  readonly windows: EglWindows;
  /** Creates a surface that draws to a window of `@pumice/gfx/wsi`. */
  eglCreateWindowSurface(
    dpy: EGLDisplay,
    config: EGLConfig,
    win: NativeWindowType,
    attrib_list?: EglAttributes | null,
  ): EGLSurface;
  /** Like eglCreateWindowSurface, with pointer-sized attributes. */
  eglCreatePlatformWindowSurface(
    dpy: EGLDisplay,
    config: EGLConfig,
    native_window: NativeWindowType,
    attrib_list?: EglAttributes | null,
  ): EGLSurface;
  /** Like eglCreatePlatformWindowSurface; the command of EGL_EXT_platform_base. */
  eglCreatePlatformWindowSurfaceEXT(
    dpy: EGLDisplay,
    config: EGLConfig,
    native_window: NativeWindowType,
    attrib_list?: EglAttributes | null,
  ): EGLSurface;
}
