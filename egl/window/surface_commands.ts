import { peek32, poke32 } from "../../ffi/machine.ts";
import type { Rect, Window } from "../../wsi/contract/window.ts";
import { windowAt } from "../../wsi/window/window_memory.ts";
import { type Pair, readAttributes } from "../api/attributes.ts";
import type { Word } from "../api/driver_calls.ts";
import type { SurfaceObject } from "../api/objects.ts";
import type { RawCommand, State } from "../api/state.ts";
import {
  EGL_BAD_ACCESS,
  EGL_BAD_ALLOC,
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_CONFIG,
  EGL_BAD_MATCH,
  EGL_BAD_NATIVE_WINDOW,
  EGL_BAD_PARAMETER,
  EGL_BAD_SURFACE,
  EGL_BUFFER_AGE_EXT,
  EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID,
  EGL_GL_COLORSPACE,
  EGL_PROTECTED_CONTENT_EXT,
  EGL_RENDER_BUFFER,
  EGL_SWAP_INTERVAL_EXT,
  EGL_VG_ALPHA_FORMAT,
  EGL_VG_COLORSPACE,
} from "../gen/egl_constants_gen.js";
import { connect, disconnect, fitCurrent, isOpen, WindowSurface } from "./window_surface.ts";
import { querySurface, setSurfaceAttribute } from "./surface_attributes.ts";
import { swapWindow } from "./swap.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { Display } from "../api/display.ts";
import { chooseColor } from "./color.ts";
import { windowFormat } from "./configs.ts";

/** Attributes of window surfaces that have no effect on a pbuffer. */
const IGNORED = new Set([
  EGL_RENDER_BUFFER,
  EGL_PROTECTED_CONTENT_EXT,
  EGL_VG_COLORSPACE,
  EGL_VG_ALPHA_FORMAT,
  EGL_SWAP_INTERVAL_EXT,
  EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID,
]);

/** Makes a window surface, with Android's checks in Android's order. Returns 0n and notes the error if it fails. */
function createWindowSurface(
  state: State,
  display: Display,
  window: Window | undefined,
  { config, attributes }: { config: bigint; attributes: readonly Pair[] },
): bigint {
  if (!window || !isOpen(window)) return state.fail(EGL_BAD_NATIVE_WINDOW, 0n);
  if (!connect(window)) return state.fail(EGL_BAD_ALLOC, 0n);
  const made = connectedSurface(state, display, window, { config, attributes });
  if (typeof made === "number") {
    disconnect(window);
    return state.fail(made, 0n);
  }
  display.surfaces.set(made.handle, made);
  return made.handle;
}

function connectedSurface(
  state: State,
  display: Display,
  window: Window,
  { config, attributes }: { config: bigint; attributes: readonly Pair[] },
): WindowSurface | number {
  const format = windowFormat(state, display.handle, config);
  if (format === undefined) return EGL_BAD_CONFIG;
  if (attributes.some(([name]) => name !== EGL_GL_COLORSPACE && !IGNORED.has(name))) return EGL_BAD_ATTRIBUTE;
  const wanted = attributes.findLast(([name]) => name === EGL_GL_COLORSPACE)?.[1];
  const color = chooseColor(state, display, wanted === undefined ? undefined : Number(wanted), format);
  if (typeof color === "number") return color;
  window.setBuffersFormat(format);
  if (color.dataspace !== 0) window.setBuffersDataspace(color.dataspace);
  window.setUsage(USAGE.GPU_RENDER_TARGET | USAGE.CPU_WRITE_OFTEN);
  window.setSwapInterval(1);
  const surface = new WindowSurface(state, display.handle, { window, config, format, color });
  if (surface.fit() !== undefined) return surface;
  window.release();
  return state.calls.error();
}

const NO_SUCH_SIZE = "the driver makes no surface of the window's size";

/** The work of a command on a window surface, with the arguments after the surface. */
export type WindowWork = (surface: WindowSurface, ...args: Word[]) => Word;
/** Returns the former function of a command. */
export type Before = (name: string) => RawCommand;

/** A command for window surfaces. Other surfaces are left to the former function, if there is one. */
export function windowCommand(state: State, before: RawCommand | undefined, work: WindowWork): RawCommand {
  return (dpy, handle, ...rest) => {
    const display = state.displays.get(dpy as bigint), surface = display?.surfaces.get(handle as bigint);
    if (display?.initialized && surface instanceof WindowSurface) {
      state.clearError();
      return work(surface, ...rest);
    }
    if (before) return before(dpy, handle, ...rest);
    state.clearError();
    return state.display(dpy) ? state.fail(EGL_BAD_SURFACE, 0) : 0;
  };
}

/** The commands that create, show and query window surfaces. */
export function windowSurfaceCommands(state: State, before: Before): Record<string, RawCommand> {
  const on = (name: string, work: WindowWork) => windowCommand(state, before(name), work);
  return {
    eglCreateWindowSurface: creation(state, before("eglCreateWindowSurface"), false),
    eglCreatePlatformWindowSurface: creation(state, before("eglCreatePlatformWindowSurface"), true),
    eglCreatePlatformWindowSurfaceEXT: creation(state, before("eglCreatePlatformWindowSurfaceEXT"), false),
    eglSwapBuffers: on("eglSwapBuffers", (surface) => swapWindow(state, surface, [])),
    eglSwapBuffersWithDamageKHR: on(
      "eglSwapBuffersWithDamageKHR",
      (surface, rects, count) => swapDamaged(state, surface, rects as bigint, count as number),
    ),
    eglSwapBuffersWithDamageEXT: on(
      "eglSwapBuffersWithDamageEXT",
      (surface, rects, count) => swapDamaged(state, surface, rects as bigint, count as number),
    ),
    eglSetDamageRegionKHR: windowCommand(
      state,
      onOther(state, ([, count]) => state.fail((count as number | 0) < 0 ? EGL_BAD_PARAMETER : EGL_BAD_MATCH, 0)),
      (surface, rects, count) => setDamageRegion(state, surface, rects as bigint, count as number),
    ),
    eglSurfaceAttrib: on(
      "eglSurfaceAttrib",
      (surface, name, value) => setSurfaceAttribute(state, surface, name as number, (value as number) | 0),
    ),
    eglQuerySurface: windowCommand(
      state,
      withAge(state, before("eglQuerySurface")),
      (surface, name, value) => querySurface(state, surface, name as number, value as bigint),
    ),
    eglBindTexImage: on("eglBindTexImage", () => state.fail(EGL_BAD_SURFACE, 0)),
    eglReleaseTexImage: on("eglReleaseTexImage", () => state.fail(EGL_BAD_SURFACE, 0)),
    eglPresentationTimeANDROID: windowCommand(state, undefined, (surface, time) => {
      if (!surface.isConnected) return state.fail(EGL_BAD_SURFACE, 0);
      surface.native.setBuffersTimestamp(BigInt.asIntN(64, time as bigint));
      return 1;
    }),
    eglMakeCurrent: makeCurrent(state, before("eglMakeCurrent")),
    eglSwapInterval: swapInterval(state, before("eglSwapInterval")),
  };
}

/** The work of a command on surfaces without a window. */
function onOther(state: State, work: (rest: Word[], surface: SurfaceObject) => Word): RawCommand {
  return (dpy, handle, ...rest) => {
    state.clearError();
    const display = state.display(dpy), surface = display && state.surface(display, handle);
    return surface ? work(rest, surface) : 0;
  };
}

/**
 * Adds the buffer age to eglQuerySurface. A pbuffer was never shown, so its age is always 0; only the current draw
 * surface has one.
 */
function withAge(state: State, before: RawCommand): RawCommand {
  const age = onOther(state, ([, value], { handle }) => {
    if (value === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
    if (state.current?.draw !== handle) return state.fail(EGL_BAD_SURFACE, 0);
    poke32(value as bigint, 0);
    return 1;
  });
  return (dpy, handle, name, value) =>
    name === EGL_BUFFER_AGE_EXT ? age(dpy, handle, name, value) : before(dpy, handle, name, value);
}

/**
 * Creates a surface for a window of this process. Other windows are the driver's, if its display is of a platform with
 * windows.
 */
function creation(state: State, before: RawCommand, wide: boolean): RawCommand {
  return (dpy, config, native, attributes) => {
    const display = state.displays.get(dpy as bigint), window = windowAt(native as bigint);
    if (!display?.initialized || !window && state.options.native) return before(dpy, config, native, attributes);
    state.clearError();
    const pairs = readAttributes(attributes as bigint, wide);
    return createWindowSurface(state, display, window, { config: config as bigint, attributes: pairs });
  };
}

/**
 * Gives a surface that becomes current the size of its window, if the window was resized meanwhile. A context that was
 * current before has state of the surface: it meets the former size first.
 */
function makeCurrent(state: State, before: RawCommand): RawCommand {
  return (dpy, draw, read, context) => {
    const display = state.displays.get(dpy as bigint), { current } = state;
    const outgrown = [...new Set([draw, read])].map((each) => display?.surfaces.get(each as bigint))
      .filter((each) => each instanceof WindowSurface)
      .filter(({ handle }) => current?.draw !== handle && current?.read !== handle);
    const fitted = () => outgrown.every((surface) => fitCurrent(state, surface));
    const wasCurrent = display?.contexts.get(context as bigint)?.facts !== undefined;
    if (!wasCurrent && !fitted()) return state.fail(EGL_BAD_ALLOC, 0, NO_SUCH_SIZE);
    const done = before(dpy, draw, read, context);
    if (done === 0 || !wasCurrent || fitted()) return done;
    if (current) before(current.display.shown, current.draw, current.read, current.context.handle);
    else before(dpy, 0n, 0n, 0n);
    return state.fail(EGL_BAD_ALLOC, 0, NO_SUCH_SIZE);
  };
}

function swapInterval(state: State, before: RawCommand): RawCommand {
  return (dpy, interval) => {
    const { current } = state, surface = current && current.display.surfaces.get(current.draw);
    if (!(surface instanceof WindowSurface) || current?.display.handle !== dpy) return before(dpy, interval);
    state.clearError();
    surface.native.setSwapInterval((interval as number | 0) > 0 ? 1 : 0);
    return 1;
  };
}

function swapDamaged(state: State, surface: WindowSurface, rects: bigint, count: number): Word {
  if ((count | 0) < 0 || count > 0 && rects === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
  return swapWindow(state, surface, readRects(rects, count));
}

/**
 * Reads rectangles of x, y, width and height from the lower left corner, and returns them in the form that windows
 * expect from GL: top above bottom.
 */
function readRects(address: bigint, count: number): Rect[] {
  const value = (index: number) => peek32(address + BigInt(4 * index)) | 0;
  return Array.from({ length: count }, (_, index) => {
    const [x, y, width, height] = [0, 1, 2, 3].map((each) => value(4 * index + each));
    return { left: x, top: y + height, right: x + width, bottom: y };
  });
}

/**
 * Accepts a damage region. All pixels are kept from frame to frame here, so drawings outside of the region do no harm.
 */
function setDamageRegion(state: State, surface: WindowSurface, rects: bigint, count: number): Word {
  if ((count | 0) < 0 || count > 0 && rects === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
  if (state.current?.draw !== surface.handle) return state.fail(EGL_BAD_MATCH, 0);
  if (surface.damageWasSet || !surface.ageWasAsked) return state.fail(EGL_BAD_ACCESS, 0);
  surface.damageWasSet = true;
  return 1;
}
