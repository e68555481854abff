import { poke32 } from "../../ffi/machine.ts";
import { STATUS } from "../../wsi/status.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import { isMetadata } from "./metadata.ts";
import type { WindowSurface } from "./window_surface.ts";
import {
  EGL_BACK_BUFFER,
  EGL_BAD_PARAMETER,
  EGL_BAD_SURFACE,
  EGL_BUFFER_AGE_EXT,
  EGL_BUFFER_DESTROYED,
  EGL_BUFFER_PRESERVED,
  EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID,
  EGL_GL_COLORSPACE,
  EGL_HEIGHT,
  EGL_LARGEST_PBUFFER,
  EGL_MIPMAP_LEVEL,
  EGL_MIPMAP_TEXTURE,
  EGL_RENDER_BUFFER,
  EGL_SWAP_BEHAVIOR,
  EGL_TEXTURE_FORMAT,
  EGL_TEXTURE_TARGET,
  EGL_TIMESTAMPS_ANDROID,
  EGL_WIDTH,
} from "../gen/egl_constants_gen.js";

/** Attributes of pbuffers only. A query for a window surface leaves the value unchanged. */
const OF_PBUFFERS = new Set([
  EGL_LARGEST_PBUFFER,
  EGL_TEXTURE_FORMAT,
  EGL_TEXTURE_TARGET,
  EGL_MIPMAP_TEXTURE,
  EGL_MIPMAP_LEVEL,
]);

/** eglSurfaceAttrib for a window surface. */
export function setSurfaceAttribute(state: State, surface: WindowSurface, name: number, value: number): Word {
  if (isMetadata(name)) {
    surface.metadata.set(name, value);
    return 1;
  }
  switch (name) {
    case EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID:
      if (surface.native.setAutoRefresh(value !== 0) !== STATUS.OK) return state.fail(EGL_BAD_SURFACE, 0);
      surface.autoRefresh = value !== 0;
      return 1;
    case EGL_TIMESTAMPS_ANDROID:
      if (surface.native.enableFrameTimestamps(value !== 0) !== STATUS.OK) return state.fail(EGL_BAD_SURFACE, 0);
      surface.timestamps = value !== 0;
      return 1;
    case EGL_SWAP_BEHAVIOR:
      if (value !== EGL_BUFFER_PRESERVED && value !== EGL_BUFFER_DESTROYED) return state.fail(EGL_BAD_PARAMETER, 0);
      surface.swapBehavior = value;
      return 1;
  }
  return state.calls.call("eglSurfaceAttrib", surface.display, surface.driver, name, value);
}

/** eglQuerySurface for a window surface. */
export function querySurface(state: State, surface: WindowSurface, name: number, value: bigint): Word {
  if (value === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
  if (OF_PBUFFERS.has(name)) return 1;
  if (name === EGL_BUFFER_AGE_EXT) return queryAge(state, surface, value);
  const own = isMetadata(name) ? surface.metadata.get(name) : ownValue(surface, name);
  if (own !== undefined) {
    poke32(value, own);
    return 1;
  }
  return state.calls.call("eglQuerySurface", surface.display, surface.driver, name, value);
}

function ownValue(surface: WindowSurface, name: number): number | undefined {
  switch (name) {
    case EGL_WIDTH:
      return surface.width;
    case EGL_HEIGHT:
      return surface.height;
    case EGL_RENDER_BUFFER:
      return EGL_BACK_BUFFER;
    case EGL_SWAP_BEHAVIOR:
      return surface.swapBehavior;
    case EGL_GL_COLORSPACE:
      return surface.colorspace;
    case EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID:
      return Number(surface.autoRefresh);
    case EGL_TIMESTAMPS_ANDROID:
      return Number(surface.timestamps);
  }
}

/** Queries the buffer age, which only the current draw surface has. */
function queryAge(state: State, surface: WindowSurface, value: bigint): Word {
  if (state.current?.draw !== surface.handle) return state.fail(EGL_BAD_SURFACE, 0);
  surface.ageWasAsked = true;
  poke32(value, surface.age);
  return 1;
}
