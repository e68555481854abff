import { poke32 } from "../../ffi/machine.ts";
import { STATUS } from "../../wsi/status.ts";
import { Failure } from "../api/codes.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import { isMetadata } from "./metadata.ts";
import type { WindowSurface } from "./window_surface.ts";

const HEIGHT = 0x3056, WIDTH = 0x3057, RENDER_BUFFER = 0x3086, BACK_BUFFER = 0x3084, COLORSPACE = 0x309D;
const SWAP_BEHAVIOR = 0x3093, PRESERVED = 0x3094, DESTROYED = 0x3095;
/** EGL_BUFFER_AGE_EXT */
export const BUFFER_AGE = 0x313D;
const AUTO_REFRESH = 0x314C, TIMESTAMPS = 0x3430;
const LARGEST = 0x3058,
  TEXTURE_FORMAT = 0x3080,
  TEXTURE_TARGET = 0x3081,
  MIPMAP_TEXTURE = 0x3082,
  MIPMAP_LEVEL = 0x3083;
/** What only pbuffers have: asking window surfaces for it leaves the value as it is. */
const OF_PBUFFERS = new Set([LARGEST, TEXTURE_FORMAT, TEXTURE_TARGET, MIPMAP_TEXTURE, MIPMAP_LEVEL]);

/** eglSurfaceAttrib for a window surface. */
export function setSurfaceAttribute(state: State, surface: WindowSurface, name: number, value: number): Word {
  if (isMetadata(name)) {
    surface.metadata.set(name, value);
    return 1;
  }
  switch (name) {
    case AUTO_REFRESH:
      if (surface.native.setAutoRefresh(value !== 0) !== STATUS.OK) return state.fail(Failure.badSurface, 0);
      surface.autoRefresh = value !== 0;
      return 1;
    case TIMESTAMPS:
      if (surface.native.enableFrameTimestamps(value !== 0) !== STATUS.OK) return state.fail(Failure.badSurface, 0);
      surface.timestamps = value !== 0;
      return 1;
    case SWAP_BEHAVIOR:
      if (value !== PRESERVED && value !== DESTROYED) return state.fail(Failure.badParameter, 0);
      surface.swapBehavior = value;
      return 1;
  }
  return state.calls.call("eglSurfaceAttrib", surface.display, surface.driver, name, value);
}

/** eglQuerySurface for a window surface. */
export function querySurface(state: State, surface: WindowSurface, name: number, value: bigint): Word {
  if (value === 0n) return state.fail(Failure.badParameter, 0);
  if (OF_PBUFFERS.has(name)) return 1;
  if (name === BUFFER_AGE) return queryAge(state, surface, value);
  const own = isMetadata(name) ? surface.metadata.get(name) : ownValue(surface, name);
  if (own !== undefined) {
    poke32(value, own);
    return 1;
  }
  return state.calls.call("eglQuerySurface", surface.display, surface.driver, name, value);
}

function ownValue(surface: WindowSurface, name: number): number | undefined {
  switch (name) {
    case WIDTH:
      return surface.width;
    case HEIGHT:
      return surface.height;
    case RENDER_BUFFER:
      return BACK_BUFFER;
    case SWAP_BEHAVIOR:
      return surface.swapBehavior;
    case COLORSPACE:
      return surface.colorspace;
    case AUTO_REFRESH:
      return Number(surface.autoRefresh);
    case TIMESTAMPS:
      return Number(surface.timestamps);
  }
}

/** Only for what is drawn to. */
function queryAge(state: State, surface: WindowSurface, value: bigint): Word {
  if (state.current?.draw !== surface.handle) return state.fail(Failure.badSurface, 0);
  surface.ageWasAsked = true;
  poke32(value, surface.age);
  return 1;
}
