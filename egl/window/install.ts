import type { Display } from "../api/display.ts";
import { nativePlatforms } from "../api/driver_displays.ts";
import type { EglScope } from "../api/scope.ts";
import type { RawCommand, State } from "../api/state.ts";
import { setStrings } from "../api/strings.ts";
import type { EglAttributes } from "../command/input.ts";
import type { EGLConfig, EGLDisplay, EGLSurface } from "../command/types.ts";
import { EGL_PLATFORM_ANDROID_KHR } from "../gen/egl_constants_gen.js";
import type { LayeredEgl } from "../layers/install.ts";
import { configCommands } from "./configs.ts";
import { timestampCommands } from "./frame_timestamps.ts";
import { NativeBuffers } from "./native_buffers.ts";
import { NativeFences } from "./native_fences.ts";
import { windowCommand, windowSurfaceCommands } from "./surface_commands.ts";

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

/** Extensions that window surfaces have over every driver. */
const OF_SURFACES = [
  "EGL_ANDROID_framebuffer_target",
  "EGL_ANDROID_front_buffer_auto_refresh",
  "EGL_ANDROID_get_frame_timestamps",
  "EGL_ANDROID_get_native_client_buffer",
  "EGL_ANDROID_presentation_time",
  "EGL_ANDROID_recordable",
  "EGL_EXT_buffer_age",
  "EGL_EXT_surface_CTA861_3_metadata",
  "EGL_EXT_surface_SMPTE2086_metadata",
  "EGL_KHR_partial_update",
  "EGL_KHR_swap_buffers_with_damage",
];

/** The extensions that the loader provides over a driver. */
export interface EglWindows {
  /** Returns the extensions of an initialized display that are not the driver's own. */
  provided(display: bigint): string[];
  /**
   * Copies a buffer's current pixels into an image of the buffer, as binding the image does. Returns `false` for
   * another image.
   */
  refresh(image: bigint): boolean;
}

/**
 * Gives a loader window surfaces on the windows of `@pumice/gfx/wsi`, over a
 * driver that knows no Android windows, and Android's extensions that go with
 * them. Call it once, before displays are initialized.
 */
export function installWindows(scope: EglScope): EglWindows {
  const { state } = scope;
  if (nativePlatforms(state.driver, state.options.native)[0].platform === EGL_PLATFORM_ANDROID_KHR) return NOTHING;
  const before = (name: string): RawCommand => scope.ours(name)!;
  for (const name of OF_SURFACES) state.provided.add(name);
  const buffers = new NativeBuffers(state), fences = new NativeFences(state);
  const commands = {
    ...configCommands(state, before),
    ...buffers.commands(before),
    ...fences.commands(before),
    ...windowSurfaceCommands(state, before),
    ...timestampCommands(state, (_name, work) => windowCommand(state, undefined, work)),
  };
  for (const [name, command] of Object.entries(commands)) scope.provide(name, command);
  buffers.intercept(scope);
  state.onInitialize.push((display) => display.isOurs && admit(state, display));
  state.onTerminate.push((display) => display.isOurs && [buffers, fences].forEach((each) => each.leave(display)));
  return {
    provided: (display) => providedTo(state, display),
    refresh: (image) => buffers.refresh(image),
  };
}

/** The result for drivers that know Android's windows. */
const NOTHING: EglWindows = { provided: () => [], refresh: () => false };

/** Adds the extensions that depend on the driver. */
function admit(state: State, display: Display): void {
  if (NativeBuffers.fits(display)) state.provided.add("EGL_ANDROID_image_native_buffer");
  if (NativeFences.fits(display)) state.provided.add("EGL_ANDROID_native_fence_sync");
  setStrings(state, display);
}

function providedTo({ provided, shown }: State, display: bigint): string[] {
  const own = shown.get(display)?.driverExtensions;
  return own ? [...provided].filter((name) => !own.has(name)).sort() : [];
}
