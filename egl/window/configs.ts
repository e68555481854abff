import { inFrame } from "../../ffi/arena.ts";
import { peek32, peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { FORMAT } from "../../wsi/android_values.ts";
import { type Pair, placePairs, readAttributes } from "../api/attributes.ts";
import type { Word } from "../api/driver_calls.ts";
import type { RawCommand, State } from "../api/state.ts";
import {
  EGL_ALPHA_SIZE,
  EGL_BAD_PARAMETER,
  EGL_BLUE_SIZE,
  EGL_COLOR_COMPONENT_TYPE_EXT,
  EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT,
  EGL_FRAMEBUFFER_TARGET_ANDROID,
  EGL_GREEN_SIZE,
  EGL_NATIVE_RENDERABLE,
  EGL_NATIVE_VISUAL_ID,
  EGL_RECORDABLE_ANDROID,
  EGL_RED_SIZE,
  EGL_SURFACE_TYPE,
} from "../gen/egl_constants_gen.js";

const PBUFFER_BIT = 1, WINDOW_BIT = 4;
const DONT_CARE = -1n;
/** The attributes that only Android's drivers know. */
const NEVER_OF_DRIVERS = [EGL_RECORDABLE_ANDROID, EGL_FRAMEBUFFER_TARGET_ANDROID];
/** The attributes above, and those that a driver without windows answers for pbuffers only. */
const NOT_OF_DRIVERS = [...NEVER_OF_DRIVERS, EGL_SURFACE_TYPE, EGL_NATIVE_VISUAL_ID, EGL_NATIVE_RENDERABLE];
/** The formats of client targets of composers. */
const SHOWN: ReadonlySet<number> = new Set([
  FORMAT.RGBA_8888,
  FORMAT.RGBX_8888,
  FORMAT.RGB_565,
  FORMAT.RGBA_1010102,
  FORMAT.RGBA_FP16,
]);
/** The formats that video encoders take. */
const RECORDED: ReadonlySet<number> = new Set([FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.RGBA_1010102]);

/**
 * The commands for configurations, as of a driver with Android's windows. Every configuration for pbuffers is also one
 * for windows, whose format is the visual.
 */
export function configCommands(state: State, before: (name: string) => RawCommand): Record<string, RawCommand> {
  const kept = state.options.native === undefined ? NOT_OF_DRIVERS : NEVER_OF_DRIVERS;
  const chooseConfig = before("eglChooseConfig"), getAttribute = before("eglGetConfigAttrib");
  return {
    eglChooseConfig(dpy, attributes, configs, size, count) {
      const display = state.displays.get(dpy as bigint), pairs = readAttributes(attributes as bigint, false);
      if (!display?.initialized || count === 0n || pairs.some(isBad)) {
        return chooseConfig(dpy, attributes, configs, size, count);
      }
      const found = chooseFrom(chooseConfig, dpy, kept, pairs.flatMap((pair) => askedOf(pair, kept)));
      if (typeof found === "number") return found;
      const chosen = found.filter((config) => pairs.every((pair) => isMet(state, display.handle, config, pair, kept)));
      return give(chosen, configs as bigint, size as number, count as bigint);
    },
    eglGetConfigAttrib(dpy, config, attribute, value) {
      const display = state.displays.get(dpy as bigint);
      const own = display?.initialized && kept.includes(attribute as number) &&
        ownAttribute(state, display.handle, config as bigint, attribute as number);
      if (own === undefined || typeof own === "boolean") return getAttribute(dpy, config, attribute, value);
      state.clearError();
      if (value === 0n) return state.fail(EGL_BAD_PARAMETER, 0);
      poke32(value as bigint, own);
      return 1;
    },
  };
}

/** An attribute for which drivers without windows have no value, or a wrong one. */
function ownAttribute(state: State, display: bigint, config: bigint, name: number): number | undefined {
  const format = windowFormat(state, display, config);
  if (format === undefined) return undefined;
  const types = driverAttribute(state, display, config, EGL_SURFACE_TYPE)!, shows = (types & PBUFFER_BIT) !== 0;
  switch (name) {
    case EGL_SURFACE_TYPE:
      return shows ? types | WINDOW_BIT : types & ~WINDOW_BIT;
    case EGL_RECORDABLE_ANDROID:
      return shows && RECORDED.has(format) ? 1 : 0;
    case EGL_FRAMEBUFFER_TARGET_ANDROID:
      return shows && SHOWN.has(format) ? 1 : 0;
    case EGL_NATIVE_RENDERABLE:
      return shows ? 1 : 0;
  }
  return format;
}

/** Whether the driver must refuse a value: a boolean that is neither true nor false. */
function isBad([name, value]: Pair): boolean {
  return [EGL_RECORDABLE_ANDROID, EGL_FRAMEBUFFER_TARGET_ANDROID, EGL_NATIVE_RENDERABLE].includes(name) &&
    ![0n, 1n, DONT_CARE].includes(value);
}

/** The attributes for the driver in place of the requested ones. Without a surface type, EGL would mean windows. */
function askedOf([name, value]: Pair, kept: readonly number[]): Pair[] {
  if (name === EGL_SURFACE_TYPE && kept.includes(name) && value !== DONT_CARE && (value & BigInt(WINDOW_BIT)) !== 0n) {
    return [[name, value & ~BigInt(WINDOW_BIT) | BigInt(PBUFFER_BIT)]];
  }
  return name !== EGL_SURFACE_TYPE && kept.includes(name) ? [] : [[name, value]];
}

function isMet(state: State, display: bigint, config: bigint, [name, value]: Pair, kept: readonly number[]): boolean {
  if (name === EGL_SURFACE_TYPE || name === EGL_NATIVE_VISUAL_ID || !kept.includes(name) || value === DONT_CARE) {
    return true;
  }
  return BigInt(ownAttribute(state, display, config, name) ?? 0) === value;
}

/** All configurations of the driver that fit; 0 after an error. */
function chooseFrom(choose: RawCommand, display: Word, kept: readonly number[], pairs: readonly Pair[]): bigint[] | 0 {
  const isComplete = !kept.includes(EGL_SURFACE_TYPE) || pairs.some(([name]) => name === EGL_SURFACE_TYPE);
  const all = isComplete ? pairs : [...pairs, [EGL_SURFACE_TYPE, 1n] as const];
  return inFrame((memory) => {
    const list = placePairs(all, false), count = memory.address(memory.alloc(16));
    if (choose(display, list, 0n, 0, count) === 0) return 0;
    const many = peek32(count), room = memory.address(memory.alloc(8 * many || 8));
    if (choose(display, list, room, many, count) === 0) return 0;
    return Array.from({ length: peek32(count) }, (_, index) => peek64(room + BigInt(8 * index)));
  });
}

function give(chosen: readonly bigint[], configs: bigint, size: number, count: bigint): Word {
  const given = configs === 0n ? chosen : chosen.slice(0, size);
  if (configs !== 0n) given.forEach((config, index) => poke64(configs + BigInt(8 * index), config));
  poke32(count, given.length);
  return 1;
}

/** One attribute of a configuration from the driver; `undefined` if the driver does not know the attribute. */
function driverAttribute(state: State, display: bigint, config: bigint, name: number): number | undefined {
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
