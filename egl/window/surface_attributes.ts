import { poke32 } from "../../ffi/machine.ts";
import type { Window } from "../../wsi/contract/window.ts";
import { STATUS } from "../../wsi/android_values.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import {
  EGL_BACK_BUFFER,
  EGL_BAD_PARAMETER,
  EGL_BAD_SURFACE,
  EGL_BUFFER_AGE_EXT,
  EGL_BUFFER_DESTROYED,
  EGL_BUFFER_PRESERVED,
  EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT,
  EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT,
  EGL_FRONT_BUFFER_AUTO_REFRESH_ANDROID,
  EGL_GL_COLORSPACE,
  EGL_HEIGHT,
  EGL_LARGEST_PBUFFER,
  EGL_MIPMAP_LEVEL,
  EGL_MIPMAP_TEXTURE,
  EGL_RENDER_BUFFER,
  EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT,
  EGL_SMPTE2086_MIN_LUMINANCE_EXT,
  EGL_SWAP_BEHAVIOR,
  EGL_TEXTURE_FORMAT,
  EGL_TEXTURE_TARGET,
  EGL_TIMESTAMPS_ANDROID,
  EGL_WIDTH,
} from "../gen/egl_constants_gen.js";
import type { WindowSurface } from "./window_surface.ts";

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

/** EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT … _MIN_LUMINANCE_EXT, EGL_CTA861_3_… */
const FIRST_SMPTE = EGL_SMPTE2086_DISPLAY_PRIMARY_RX_EXT,
  LAST_SMPTE = EGL_SMPTE2086_MIN_LUMINANCE_EXT,
  MAX_CONTENT = EGL_CTA861_3_MAX_CONTENT_LIGHT_LEVEL_EXT,
  MAX_AVERAGE = EGL_CTA861_3_MAX_FRAME_AVERAGE_LEVEL_EXT;
const DONT_CARE = -1, SCALE = 50000;

/** Whether a surface attribute is HDR metadata. */
function isMetadata(name: number): boolean {
  return name >= FIRST_SMPTE && name <= LAST_SMPTE || name === MAX_CONTENT || name === MAX_AVERAGE;
}

/** HDR metadata of a surface, as EGL's integers: 50,000 times the actual values. */
export class Metadata {
  readonly #values = new Map<number, number>();
  #changed = false;

  /** A value that was set; EGL_DONT_CARE before. */
  get(name: number): number {
    return this.#values.get(name) ?? DONT_CARE;
  }

  /** Sets a value, which the window gets at the next swap. */
  set(name: number, value: number): void {
    this.#changed ||= this.get(name) !== value;
    this.#values.set(name, value);
  }

  /** Gives the window the changed values, once they are complete. */
  tell(window: Window): void {
    if (!this.#changed) return;
    this.#changed = false;
    const smpte = this.#scaled(FIRST_SMPTE, LAST_SMPTE), cta = this.#scaled(MAX_CONTENT, MAX_AVERAGE);
    if (smpte) window.setBuffersSmpte2086(smpte2086(smpte));
    if (cta) window.setBuffersCta8613({ maxContentLightLevel: cta[0], maxFrameAverageLightLevel: cta[1] });
  }

  #scaled(first: number, last: number): number[] | undefined {
    const values = Array.from({ length: last - first + 1 }, (_, index) => this.get(first + index));
    return values.includes(DONT_CARE) ? undefined : values.map((value) => value / SCALE);
  }
}

function smpte2086(v: readonly number[]) {
  const at = (index: number) => ({ x: v[index], y: v[index + 1] });
  return { red: at(0), green: at(2), blue: at(4), white: at(6), maxLuminance: v[8], minLuminance: v[9] };
}
