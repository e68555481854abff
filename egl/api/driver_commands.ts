import { inFrame } from "../../ffi/arena.ts";
import { peek32 } from "../../ffi/machine.ts";
import { windowAt } from "../../wsi/window/window_memory.ts";
import { eglCommands } from "../dispatch/names.ts";
import {
  EGL_BAD_NATIVE_WINDOW,
  EGL_CONFIG_ID,
  EGL_CONTEXT_CLIENT_TYPE,
  EGL_CONTEXT_CLIENT_VERSION,
  EGL_EXTENSIONS,
  EGL_OPENGL_ES_API,
} from "../gen/egl_constants_gen.js";
import { BLOB_CACHE_SETTER, setBlobCache } from "./blob_cache_setter.ts";
import { ClientArrays } from "./client_arrays.ts";
import { factsOf } from "./context_facts.ts";
import { type Display, SharedDisplay } from "./display.ts";
import type { Word } from "./driver_calls.ts";
import { seen } from "./driver_displays.ts";
import { passed } from "./forward.ts";
import { MappedBuffers } from "./mapped_buffers.ts";
import { type ContextObject, forgetContext, type SurfaceObject } from "./objects.ts";
import type { RawCommand, State } from "./state.ts";

/**
 * A command on a display of the driver's own. The driver gets the very
 * arguments, handles of contexts and surfaces among them. The loader only keeps
 * account of current and destroyed objects.
 */
export function driverCommand(state: State, name: string): RawCommand {
  const watched = WATCHED[name];
  if (watched) {
    return (dpy, ...rest) => {
      state.forgetError();
      return watched(state, dpy as bigint, ...rest);
    };
  }
  if (name === BLOB_CACHE_SETTER) return setBlobCache(state);
  if (name === "eglQueryStringImplementationANDROID") return driverCommand(state, "eglQueryString");
  const command = eglCommands.find(name)!;
  return (...args) => {
    state.forgetError();
    return passed(state, command, args);
  };
}

/** Whether the loader looks on when a display of the driver's own is asked this: it cannot go past TypeScript then. */
export function isWatched(name: string): boolean {
  return Object.hasOwn(WATCHED, name) && name !== "eglQueryString"; // that one only answers for no display
}

type Watched = (state: State, dpy: bigint, ...args: Word[]) => Word;

const WATCHED: Readonly<Record<string, Watched>> = {
  eglInitialize: initialize,
  eglTerminate: (state, dpy) => terminateDrivers(state, seen(state, dpy)),
  eglMakeCurrent: makeCurrent,
  eglDestroyContext: destroyContext,
  eglQueryString: (state, dpy, name) =>
    dpy === 0n && name === EGL_EXTENSIONS ? state.clientExtensions : state.calls.call("eglQueryString", dpy, name),
  eglCreateWindowSurface: window("eglCreateWindowSurface"),
  eglCreatePlatformWindowSurface: window("eglCreatePlatformWindowSurface"),
  eglCreatePlatformWindowSurfaceEXT: window("eglCreatePlatformWindowSurfaceEXT"),
};

function initialize(state: State, dpy: bigint, ...versions: Word[]): Word {
  const done = state.calls.call("eglInitialize", dpy, ...versions);
  if (done === 0) return 0;
  const display = seen(state, dpy);
  if (display.shared) return done;
  display.shared = new SharedDisplay(dpy);
  for (const each of state.onInitialize) each(display);
  return done;
}

/** Ends a display for this loader; for the driver, when no other loader has it. */
export function terminateDrivers(state: State, display: Display): Word {
  const wasHeld = display.shared !== undefined;
  for (const each of wasHeld ? state.onTerminate : []) each(display);
  const isLast = letGo(state, display), done = isLast ? state.calls.call("eglTerminate", display.handle) : 1;
  for (const each of wasHeld ? state.onTerminated : []) each(display, isLast);
  return done;
}

/** Gives up a display when the loader closes: on a connection of the caller's, which may be gone, the driver's lives on. */
export function leaveDrivers(state: State, display: Display): void {
  if (display.shared && !display.isCallers) terminateDrivers(state, display);
  else letGo(state, display);
}

/** Whether no other loader holds the display. */
function letGo(state: State, display: Display): boolean {
  for (const context of display.contexts.values()) forget(state, context);
  display.contexts.clear();
  const isLast = display.shared?.release() ?? true;
  display.shared = undefined;
  return isLast;
}

/** Forgets a context when the driver destroys it: at once, or when the context is no longer current. */
function forget(state: State, context: ContextObject): void {
  const { handle, display } = context;
  state.destroy({ handle, display, forget: () => forgetContext(context) });
}

function makeCurrent(state: State, dpy: bigint, draw: Word, read: Word, handle: Word): Word {
  const done = state.calls.call("eglMakeCurrent", dpy, draw, read, handle);
  if (done === 0) return 0;
  const display = seen(state, dpy), context = handle === 0n ? undefined : contextOf(state, display, handle as bigint);
  if (context) context.facts ??= factsOf(state, context, display.kind);
  state.setCurrent(context && { context, draw: draw as bigint, read: read as bigint, display });
  return done;
}

/** The record of a context of the driver's. A context that another thread made gets its record here. */
function contextOf(state: State, display: Display, handle: bigint): ContextObject {
  const known = display.contexts.get(handle), hooks = hooksOf(state, display, handle);
  if (known?.hooks === hooks) return known;
  if (known) forgetContext(known); // another thread destroyed it, and its handle is another context's now
  const context = {
    handle,
    driver: handle,
    display: display.handle,
    hooks,
    arrays: new ClientArrays(),
    mapped: new MappedBuffers(),
  };
  display.contexts.set(handle, context);
  return context;
}

/** The hooks that the commands of a driver's context use. */
export function hooksOf({ calls }: State, { handle: display }: Display, context: bigint): 1 | 2 {
  return inFrame((memory) => {
    const at = memory.address(memory.alloc(16));
    const ask = (name: number) => calls.call("eglQueryContext", display, context, name, at) === 0 ? 0 : peek32(at);
    const isFirst = ask(EGL_CONTEXT_CLIENT_TYPE) === EGL_OPENGL_ES_API && ask(EGL_CONTEXT_CLIENT_VERSION) === 1;
    return isFirst ? 1 : 2;
  });
}

function destroyContext(state: State, dpy: bigint, handle: Word): Word {
  const done = state.calls.call("eglDestroyContext", dpy, handle);
  const { contexts } = seen(state, dpy), context = contexts.get(handle as bigint);
  if (done === 0 || !context) return done;
  contexts.delete(context.handle);
  forget(state, context);
  return done;
}

/** A window of this library is no window of the driver's: some would follow pointers in it. */
function window(name: string): Watched {
  return (state, dpy, config, native, attributes) => {
    if (windowAt(native as bigint)) return state.fail(EGL_BAD_NATIVE_WINDOW, 0n);
    return passed(state, eglCommands.find(name)!, [dpy, config, native, attributes]);
  };
}

/**
 * The record of a context that another thread made in Android's display: such objects have the driver's handles. Returns
 * `undefined` for any other handle.
 */
export function adoptContext(state: State, display: Display, handle: bigint): ContextObject | undefined {
  if (!isDrivers(state, "eglQueryContext", display, handle)) return undefined;
  const context: ContextObject = {
    ...{ handle, driver: handle, display: display.handle },
    hooks: hooksOf(state, display, handle),
    arrays: new ClientArrays(),
    mapped: new MappedBuffers(),
  };
  display.contexts.set(handle, context);
  return context;
}

/** The same for a surface. */
export function adoptSurface(state: State, display: Display, handle: bigint): SurfaceObject | undefined {
  if (!isDrivers(state, "eglQuerySurface", display, handle)) return undefined;
  const surface = { handle, driver: handle, display: display.handle, window: 0n };
  display.surfaces.set(handle, surface);
  return surface;
}

function isDrivers({ calls, handles }: State, query: string, { handle: display }: Display, object: bigint): boolean {
  if (!handles.wasMade(object) || !calls.has(query)) return false;
  const done = inFrame((memory) => calls.call(query, display, object, EGL_CONFIG_ID, memory.address(memory.alloc(16))));
  if (done === 0) calls.error();
  return done !== 0;
}
