import { inFrame } from "../../ffi/arena.ts";
import { denoHost, type Host } from "../../loader/driver/host/host.ts";
import {
  EGL_PLATFORM_ANDROID_KHR,
  EGL_PLATFORM_GBM_KHR,
  EGL_PLATFORM_SURFACELESS_MESA,
  EGL_PLATFORM_WAYLAND_KHR,
  EGL_PLATFORM_X11_KHR,
  EGL_PLATFORM_XCB_EXT,
} from "../gen/egl_constants_gen.js";
import { type Pair, placePairs } from "./attributes.ts";
import { Display } from "./display.ts";
import type { NativePlatform, UsableDriver } from "./options.ts";
import type { State } from "./state.ts";

/** Platforms whose native display is a connection: EGL_PLATFORM_X11_EXT, _GBM_KHR, _WAYLAND_EXT, _XCB_EXT. */
const CONNECTIONS = [EGL_PLATFORM_X11_KHR, EGL_PLATFORM_GBM_KHR, EGL_PLATFORM_WAYLAND_KHR, EGL_PLATFORM_XCB_EXT];
/** The variables that tell a driver of a server to show windows on. */
const SERVERS = ["EGL_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"];

/**
 * Opens a display of the driver's own. Without a platform, eglGetDisplay() is
 * called, and the driver guesses the platform from the native display.
 */
export function driversOwn(
  state: State,
  native: bigint,
  asked?: { readonly platform: number; readonly attributes: readonly Pair[] },
): bigint {
  const display = asked
    ? driverDisplay(state, { platform: asked.platform, display: native }, asked.attributes)
    : native === 0n
    ? defaultDisplay(state)
    : state.calls.call("eglGetDisplay", native) as bigint;
  const isConnection = asked === undefined || CONNECTIONS.includes(asked.platform);
  if (display !== 0n) seen(state, display).isCallers ||= native !== 0n && isConnection;
  return display;
}

/** Returns the loader's record of a display of the driver's own; a new handle gets a record. */
export function seen(state: State, handle: bigint): Display {
  const known = state.driverDisplays.get(handle) ?? new Display(handle, "drivers");
  state.driverDisplays.set(handle, known);
  return known;
}

/**
 * Returns the driver's display for a platform, with the command of EGL 1.5 or of the extension; 0n if the driver has
 * none.
 */
export function driverDisplay(state: State, native: NativePlatform, more: readonly Pair[]): bigint {
  const { calls } = state, name = ["eglGetPlatformDisplay", "eglGetPlatformDisplayEXT"].find((each) => calls.has(each));
  if (!name) return 0n;
  return inFrame(() => {
    const pairs = [...more];
    for (let at = 0; at < (native.attributes?.length ?? 0); at += 2) {
      pairs.push([Number(native.attributes![at]), BigInt(native.attributes![at + 1])]);
    }
    const list = pairs.length > 0 ? placePairs(pairs, name === "eglGetPlatformDisplay") : 0n;
    return calls.call(name, native.platform, native.display ?? 0n, list) as bigint;
  });
}

/**
 * The display of the option `native`, else the driver's own default; without a
 * server for windows, a display without them.
 */
function defaultDisplay(state: State): bigint {
  const { calls, driver, options } = state;
  const [without] = nativePlatforms(driver, options.native);
  const isWanted = options.native !== undefined || !hasServer(options.host ?? denoHost());
  const display = isWanted ? driverDisplay(state, without, []) : 0n;
  return display || calls.call("eglGetDisplay", 0n) as bigint;
}

function hasServer(host: Host): boolean {
  try {
    return SERVERS.some((name) => host.env(name));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

/** The enums of EGL_ANGLE_platform_angle and its kin, which ANGLE documents and the registry lacks. */
const ANGLE = { PLATFORM: 0x3202, TYPE: 0x3203, VULKAN: 0x3450, DEVICE: 0x3209, SWIFTSHADER: 0x3487, NATIVE: 0x348F };
/** The attributes that choose SwiftShader without windows. */
const ON_SWIFTSHADER = [
  ...[ANGLE.TYPE, ANGLE.VULKAN],
  ...[ANGLE.DEVICE, ANGLE.SWIFTSHADER],
  ...[ANGLE.NATIVE, EGL_PLATFORM_SURFACELESS_MESA],
];

/** Returns the platforms for the default display, preferred first. */
export function nativePlatforms({ kind }: UsableDriver, wanted: NativePlatform | undefined): NativePlatform[] {
  if (wanted) return [wanted];
  if (Deno.build.os === "android") return [{ platform: EGL_PLATFORM_ANDROID_KHR }];
  return kind === "angle"
    ? [{ platform: ANGLE.PLATFORM, attributes: ON_SWIFTSHADER }]
    : [{ platform: EGL_PLATFORM_SURFACELESS_MESA }];
}
