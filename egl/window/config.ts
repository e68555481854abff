import { inFrame } from "../../ffi/arena.ts";
import type { State } from "../api/state.ts";
import {
  EGL_ALPHA_SIZE,
  EGL_BLUE_SIZE,
  EGL_COLOR_COMPONENT_TYPE_EXT,
  EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT,
  EGL_GREEN_SIZE,
  EGL_RED_SIZE,
} from "../gen/egl_constants_gen.js";
import { FORMAT } from "../../wsi/android_values.ts";

/** One attribute of a configuration from the driver; `undefined` if the driver does not know the attribute. */
export function driverAttribute(state: State, display: bigint, config: bigint, name: number): number | undefined {
  return inFrame((memory) => {
    const at = memory.alloc(16);
    memory.view.setInt32(at, 0, true);
    const done = state.calls.call("eglGetConfigAttrib", display, config, name, memory.address(at));
    const value = memory.view.getInt32(at, true);
    return done === 0 ? undefined : value;
  });
}

/**
 * The HAL_PIXEL_FORMAT that Android's loader gives windows with a configuration; `undefined` for an invalid
 * configuration.
 */
export function windowFormat(state: State, display: bigint, config: bigint): number | undefined {
  const size = (name: number) => driverAttribute(state, display, config, name);
  const [red, green, blue, alpha] = [EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE].map(size);
  if (red === undefined) return undefined;
  const isFloat = hasFloats(state, display) &&
    size(EGL_COLOR_COMPONENT_TYPE_EXT) === EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT;
  if (isFloat) return FORMAT.RGBA_FP16;
  const bits = red + green! + blue!;
  if (alpha! > 0) return bits > 24 ? FORMAT.RGBA_1010102 : FORMAT.RGBA_8888;
  if (green === 0 && blue === 0) return FORMAT.R_8;
  if (bits <= 16) return FORMAT.RGB_565;
  return bits > 24 ? FORMAT.RGBA_1010102 : FORMAT.RGBX_8888;
}

/**
 * Whether the driver knows the component type. Other drivers return EGL_BAD_ATTRIBUTE, which the application would see
 * later.
 */
function hasFloats(state: State, display: bigint): boolean {
  return state.displays.get(display)?.driverExtensions.has("EGL_EXT_pixel_format_float") ?? false;
}
