import type { Window } from "../../wsi/contract/window.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { Pair } from "../api/attributes.ts";
import type { Display } from "../api/display.ts";
import type { State } from "../api/state.ts";
import { chooseColor } from "./color.ts";
import { windowFormat } from "./config.ts";
import { connect, disconnect, isOpen, WindowSurface } from "./window_surface.ts";
import {
  EGL_BAD_ALLOC,
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_CONFIG,
  EGL_BAD_NATIVE_WINDOW,
  EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID,
  EGL_GL_COLORSPACE,
  EGL_PROTECTED_CONTENT_EXT,
  EGL_RENDER_BUFFER,
  EGL_SWAP_INTERVAL_EXT,
  EGL_VG_ALPHA_FORMAT,
  EGL_VG_COLORSPACE,
} from "../gen/egl_constants_gen.js";

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
export function createWindowSurface(
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
