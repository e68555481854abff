import { inFrame } from "../../ffi/arena.ts";
import { peek32, poke32 } from "../../ffi/machine.ts";
import {
  EGL_BAD_DISPLAY,
  EGL_BAD_PARAMETER,
  EGL_EXTENSIONS,
  EGL_PLATFORM_ANDROID_KHR,
} from "../gen/egl_constants_gen.js";
import { type Pair, readAttributes } from "./attributes.ts";
import { Display, SharedDisplay } from "./display.ts";
import { doomedContext, doomedSurface, freshHandle } from "./objects.ts";
import type { Word } from "./driver_calls.ts";
import { driverDisplay, driversOwn, nativePlatforms } from "./driver_displays.ts";
import type { RawCommand, State } from "./state.ts";
import { setStrings, words } from "./strings.ts";

/** Functions of EGL 1.5 that a driver must have to count as 1.5. */
const NEW_IN_15 = [
  "eglCreateImage",
  "eglDestroyImage",
  "eglGetPlatformDisplay",
  "eglCreatePlatformWindowSurface",
  "eglCreatePlatformPixmapSurface",
  "eglCreateSync",
  "eglDestroySync",
  "eglClientWaitSync",
  "eglGetSyncAttrib",
  "eglWaitSync",
];

/** Getting, initializing and terminating displays. */
export function displayCommands(state: State): Record<string, RawCommand> {
  return {
    eglGetDisplay(native) {
      state.clearError();
      if (state.platform === "linux") return driversOwn(state, native as bigint);
      return native === 0n ? androidDisplay(state, []) : state.fail(EGL_BAD_PARAMETER, 0n);
    },
    eglGetPlatformDisplay(platform, native, attributes) {
      state.clearError();
      return platformDisplay(state, Number(platform), native as bigint, readAttributes(attributes as bigint, true));
    },
    eglGetPlatformDisplayEXT(platform, native, attributes) {
      state.clearError();
      return platformDisplay(state, Number(platform), native as bigint, readAttributes(attributes as bigint, false));
    },
    eglInitialize(dpy, major, minor) {
      state.clearError();
      const display = state.displays.get(dpy as bigint);
      if (!display) return state.fail(EGL_BAD_DISPLAY, 0);
      if (!display.initialized && !initialize(state, display)) {
        if (!state.quirks) return 0;
        display.version = [-1, -1];
      }
      display.references++;
      if (major !== 0n) poke32(major as bigint, display.version[0]);
      if (minor !== 0n) poke32(minor as bigint, display.version[1]);
      return 1;
    },
    eglTerminate(dpy) {
      state.clearError();
      const display = state.displays.get(dpy as bigint);
      if (!display) return state.fail(EGL_BAD_DISPLAY, 0);
      if (display.references > 0 && --display.references === 0) return terminate(state, display);
      return 1;
    },
  };
}

function platformDisplay(state: State, platform: number, native: bigint, attributes: Pair[]): Word {
  if (platform === EGL_PLATFORM_ANDROID_KHR) {
    return native === 0n ? androidDisplay(state, attributes) : state.fail(EGL_BAD_PARAMETER, 0n);
  }
  if (state.platform === "android") return state.fail(EGL_BAD_PARAMETER, 0n);
  return driversOwn(state, native, { platform, attributes });
}

/** Android's only display, on whatever the driver can show something with. */
function androidDisplay(state: State, attributes: readonly Pair[]): Word {
  for (const native of nativePlatforms(state.driver, state.options.native)) {
    const display = driverDisplay(state, native, attributes);
    if (display !== 0n) return keep(state, display);
  }
  return keep(state, state.calls.call("eglGetDisplay", 0n) as bigint);
}

/** Keeps a display of ours. The display gets a handle of its own if the driver's own displays can be had, too. */
function keep(state: State, handle: bigint): bigint {
  if (handle === 0n) return 0n;
  const known = state.displays.get(handle);
  if (known) return known.shown;
  const display = new Display(handle, "ours", state.platform === "linux" ? freshHandle() : handle);
  state.displays.set(handle, display);
  state.shown.set(display.shown, display);
  if (display.shown !== handle) state.handles.set(display.shown, handle, "EGLDisplay");
  state.handles.setAndroid(display.shown, []);
  state.onOurs?.();
  return display.shown;
}

function initialize(state: State, display: Display): boolean {
  const { calls } = state;
  const done = inFrame((memory) => {
    const at = memory.address(memory.alloc(16)), answer = calls.call("eglInitialize", display.handle, at, at + 4n);
    display.version = [peek32(at) | 0, peek32(at + 4n) | 0];
    return answer;
  });
  if (done === 0) return false;
  display.shared = new SharedDisplay(display.handle);
  if (display.is15 && !NEW_IN_15.every((name) => calls.has(name))) display.version = [1, 4];
  display.driverExtensions = new Set(words(calls.string(display.handle, EGL_EXTENSIONS)));
  setStrings(state, display);
  for (const each of state.onInitialize) each(display);
  return true;
}

/** Ends a display: destroys the objects left in it. Current objects stay current until others are. */
export function terminate(state: State, display: Display): Word {
  const { calls } = state, left = display.contexts.size + display.surfaces.size;
  if (left > 0) state.options.log?.(`eglTerminate: ${left} contexts and surfaces were left and are destroyed now`);
  for (const each of state.onTerminate) each(display);
  state.destroyAll(display.handle, [
    ...[...display.surfaces.values()].map((each) => doomedSurface(state, each)),
    ...[...display.contexts.values()].map((each) => doomedContext(state, each)),
  ]);
  for (const handle of [...display.surfaces.keys(), ...display.contexts.keys()]) state.handles.delete(handle);
  display.surfaces.clear();
  display.contexts.clear();
  state.handles.setAndroid(display.shown, [0n, 0n, 0n, 0n]);
  display.memory?.close();
  display.memory = undefined;
  const isLast = display.shared?.release() ?? true;
  display.shared = undefined;
  const done = isLast ? calls.call("eglTerminate", display.handle) : 1;
  for (const each of state.onTerminated) each(display, isLast);
  return done;
}
