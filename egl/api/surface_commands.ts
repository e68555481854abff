import { readAttributes } from "./attributes.ts";
import type { Display } from "./display.ts";
import { doomedSurface, freshHandle } from "./objects.ts";
import type { Word } from "./driver_calls.ts";
import type { RawCommand, State } from "./state.ts";
import {
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_NATIVE_WINDOW,
  EGL_BAD_PARAMETER,
  EGL_GL_COLORSPACE,
  EGL_GL_COLORSPACE_BT2020_HLG_EXT,
  EGL_GL_COLORSPACE_BT2020_LINEAR_EXT,
  EGL_GL_COLORSPACE_BT2020_PQ_EXT,
  EGL_GL_COLORSPACE_DEFAULT_EXT,
  EGL_GL_COLORSPACE_DISPLAY_P3_EXT,
  EGL_GL_COLORSPACE_DISPLAY_P3_LINEAR_EXT,
  EGL_GL_COLORSPACE_DISPLAY_P3_PASSTHROUGH_EXT,
  EGL_GL_COLORSPACE_LINEAR,
  EGL_GL_COLORSPACE_SCRGB_EXT,
  EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT,
  EGL_GL_COLORSPACE_SRGB,
} from "../gen/egl_constants_gen.js";

/** sRGB, linear, then those of extensions: BT.2020, scRGB, Display P3, the default one. */
const COLORSPACES = new Set([
  ...[EGL_GL_COLORSPACE_SRGB, EGL_GL_COLORSPACE_LINEAR, EGL_GL_COLORSPACE_DEFAULT_EXT],
  ...[
    EGL_GL_COLORSPACE_BT2020_LINEAR_EXT,
    EGL_GL_COLORSPACE_BT2020_PQ_EXT,
    EGL_GL_COLORSPACE_BT2020_HLG_EXT,
    EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT,
    EGL_GL_COLORSPACE_SCRGB_EXT,
    EGL_GL_COLORSPACE_DISPLAY_P3_LINEAR_EXT,
    EGL_GL_COLORSPACE_DISPLAY_P3_EXT,
    EGL_GL_COLORSPACE_DISPLAY_P3_PASSTHROUGH_EXT,
  ],
]);

/** Configurations and surfaces. Windows are those of the driver's own platform here. */
export function surfaceCommands(state: State): Record<string, RawCommand> {
  const { calls } = state;
  const withSurface = (name: string): RawCommand => (dpy, handle, ...rest) => {
    state.clearError();
    const display = state.display(dpy), surface = display && state.surface(display, handle);
    return surface ? calls.call(name, display.handle, surface.driver, ...rest) : 0;
  };
  const refused: RawCommand = (dpy) => {
    state.clearError();
    return state.display(dpy) ? state.fail(EGL_BAD_PARAMETER, 0n) : 0n;
  };
  const window = (name: string): RawCommand => (dpy, config, native, attributes) => {
    state.clearError();
    const display = state.display(dpy);
    if (!display) return 0n;
    if (native === 0n) return state.fail(EGL_BAD_NATIVE_WINDOW, 0n);
    return createSurface(state, display, { name, args: [config, native, attributes], window: native as bigint });
  };
  return {
    eglGetConfigs: configs(state, "eglGetConfigs", 2),
    eglChooseConfig: configs(state, "eglChooseConfig", 3),
    eglGetConfigAttrib(dpy, config, attribute, value) {
      state.clearError();
      const display = state.display(dpy);
      return display ? calls.call("eglGetConfigAttrib", display.handle, config, attribute, value) : 0;
    },
    eglCreatePbufferSurface(dpy, config, attributes) {
      state.clearError();
      const display = state.display(dpy);
      if (!display) return 0n;
      if (!isColorspaceKnown(display, attributes as bigint)) return state.fail(EGL_BAD_ATTRIBUTE, 0n);
      return createSurface(state, display, { name: "eglCreatePbufferSurface", args: [config, attributes] });
    },
    eglCreatePbufferFromClientBuffer(dpy, type, buffer, config, attributes) {
      state.clearError();
      const display = state.display(dpy), name = "eglCreatePbufferFromClientBuffer";
      if (!display) return 0n;
      // Android hands out the driver's surface, which none of Android's other commands knows.
      if (state.quirks) return calls.call(name, display.handle, type, buffer, config, attributes);
      return createSurface(state, display, { name, args: [type, buffer, config, attributes] });
    },
    eglCreateWindowSurface: window("eglCreateWindowSurface"),
    eglCreatePlatformWindowSurface: window("eglCreatePlatformWindowSurface"),
    eglCreatePlatformWindowSurfaceEXT: window("eglCreatePlatformWindowSurfaceEXT"),
    eglCreatePixmapSurface: refused,
    eglCreatePlatformPixmapSurface: refused,
    eglCreatePlatformPixmapSurfaceEXT: refused,
    eglDestroySurface(dpy, handle) {
      state.clearError();
      const display = state.display(dpy), surface = display && state.surface(display, handle);
      if (!surface) return 0;
      display.surfaces.delete(surface.handle);
      state.handles.delete(surface.handle);
      return state.destroy(doomedSurface(state, surface));
    },
    eglSurfaceAttrib: withSurface("eglSurfaceAttrib"),
    eglQuerySurface: withSurface("eglQuerySurface"),
    eglBindTexImage: withSurface("eglBindTexImage"),
    eglReleaseTexImage: withSurface("eglReleaseTexImage"),
    eglCopyBuffers: withSurface("eglCopyBuffers"),
    eglSwapBuffers: withSurface("eglSwapBuffers"),
    eglSwapBuffersWithDamageKHR(dpy, handle, rects, count) {
      state.clearError();
      const display = state.display(dpy), surface = display && state.surface(display, handle);
      if (!surface) return 0;
      if ((count as number) < 0 || ((count as number) > 0 && rects === 0n)) return state.fail(EGL_BAD_PARAMETER, 0);
      return swap(state, display, surface.driver, [rects, count]);
    },
    eglSetDamageRegionKHR: withSurfaceIf(state, "eglSetDamageRegionKHR", withSurface),
  };
}

function withSurfaceIf(state: State, name: string, make: (name: string) => RawCommand): RawCommand {
  return state.calls.has(name) ? make(name) : () => {
    state.clearError();
    return 0;
  };
}

function configs(state: State, name: string, count: number): RawCommand {
  return (dpy, ...rest) => {
    state.clearError();
    const display = state.display(dpy);
    if (!display) return 0;
    if (rest[count] === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
    return state.calls.call(name, display.handle, ...rest);
  };
}

function swap(state: State, display: Display, surface: bigint, [rects, count]: Word[]): Word {
  const { calls } = state, names = ["eglSwapBuffersWithDamageKHR", "eglSwapBuffersWithDamageEXT"];
  const name = count === 0 ? undefined : names.find((each) => display.driverExtensions.has(extensionOf(each)));
  return name
    ? calls.call(name, display.handle, surface, rects, count)
    : calls.call("eglSwapBuffers", display.handle, surface);
}

function extensionOf(name: string): string {
  return `EGL_${name.slice(-3)}_swap_buffers_with_damage`;
}

function createSurface(
  state: State,
  display: Display,
  { name, args, window = 0n }: { name: string; args: Word[]; window?: bigint },
): Word {
  if (!state.calls.has(name)) return state.fail(EGL_BAD_NATIVE_WINDOW, 0n);
  const driver = state.calls.call(name, display.handle, ...args) as bigint;
  if (driver === 0n) return 0n;
  const surface = { handle: freshHandle(), driver, display: display.handle, window };
  display.surfaces.set(surface.handle, surface);
  state.handles.set(surface.handle, driver, "EGLSurface");
  return surface.handle;
}

/** A color space must be one that EGL names, and the driver must know color spaces at all. */
function isColorspaceKnown(display: Display, attributes: bigint): boolean {
  const asked = readAttributes(attributes, false).find(([name]) => name === EGL_GL_COLORSPACE)?.[1];
  if (asked === undefined) return true;
  return COLORSPACES.has(Number(asked)) && (display.is15 || display.driverExtensions.has("EGL_KHR_gl_colorspace"));
}
