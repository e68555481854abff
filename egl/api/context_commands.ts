import { readAttributes } from "./attributes.ts";
import { ClientArrays } from "./client_arrays.ts";
import { factsOf } from "./context_facts.ts";
import type { Display } from "./display.ts";
import { type ContextObject, doomedContext, freshHandle, type SurfaceObject } from "./objects.ts";
import type { Word } from "./driver_calls.ts";
import { MappedBuffers } from "./mapped_buffers.ts";
import type { RawCommand, State } from "./state.ts";
import {
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_DISPLAY,
  EGL_BAD_MATCH,
  EGL_BAD_PARAMETER,
  EGL_CONTEXT_CLIENT_VERSION,
  EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
  EGL_DRAW,
  EGL_OPENGL_API,
  EGL_READ,
} from "../gen/egl_constants_gen.js";

/** Commands about contexts and about what is current. */
export function contextCommands(state: State): Record<string, RawCommand> {
  const { calls } = state;
  return {
    eglCreateContext(dpy, config, share, attributes) {
      state.clearError();
      const display = state.display(dpy);
      return display ? createContext(state, display, [config, share, attributes]) : 0n;
    },
    eglDestroyContext(dpy, handle) {
      state.clearError();
      const display = state.display(dpy), context = display && state.context(display, handle);
      if (!context) return 0;
      display.contexts.delete(context.handle);
      state.handles.delete(context.handle);
      return state.destroy(doomedContext(state, context));
    },
    eglMakeCurrent(dpy, draw, read, context) {
      state.clearError();
      const display = state.display(dpy);
      // The loader of Android never gets to say that a display is not initialized here.
      if (!display) return state.fail(EGL_BAD_DISPLAY, 0);
      return makeCurrent(state, display, [draw as bigint, read as bigint], context as bigint);
    },
    eglQueryContext(dpy, handle, attribute, value) {
      state.clearError();
      const display = state.display(dpy), context = display && state.context(display, handle);
      return context ? calls.call("eglQueryContext", display.handle, context.driver, attribute, value) : 0;
    },
    eglGetCurrentContext() {
      state.clearError();
      return state.current?.context.handle ?? 0n;
    },
    eglGetCurrentDisplay() {
      state.clearError();
      return state.current?.display.shown ?? 0n;
    },
    eglGetCurrentSurface(which) {
      state.clearError();
      if (which !== EGL_DRAW && which !== EGL_READ) return state.fail(EGL_BAD_PARAMETER, 0n);
      return state.current?.[which === EGL_DRAW ? "draw" : "read"] ?? 0n;
    },
    eglReleaseThread() {
      const done = calls.call("eglReleaseThread");
      state.setCurrent(undefined);
      state.clearError();
      return done;
    },
    eglWaitClient: () => waiting(state, "eglWaitClient"),
    eglWaitGL: () => waiting(state, "eglWaitGL"),
    eglWaitNative: (engine) => waiting(state, "eglWaitNative", engine),
    eglSwapInterval(dpy, interval) {
      state.clearError();
      const display = state.display(dpy);
      return display ? calls.call("eglSwapInterval", display.handle, interval) : 0;
    },
    eglBindAPI(api) {
      state.clearError();
      return calls.call("eglBindAPI", api);
    },
    eglQueryAPI() {
      state.clearError();
      return calls.call("eglQueryAPI");
    },
  };
}

function waiting(state: State, name: string, ...args: Word[]): Word {
  state.clearError();
  return state.calls.call(name, ...args);
}

function createContext(state: State, display: Display, [config, share, attributes]: Word[]): Word {
  const shared = share === 0n ? undefined : state.context(display, share);
  if (share !== 0n && !shared) return 0n;
  const pairs = readAttributes(attributes as bigint, false);
  if (!display.is15 && pairs.some(([name]) => name === EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY)) {
    return state.fail(EGL_BAD_ATTRIBUTE, 0n);
  }
  const driver = state.calls.call("eglCreateContext", display.handle, config, shared?.driver ?? 0n, attributes);
  if (driver === 0n) return 0n;
  const version = pairs.findLast(([name]) => name === EGL_CONTEXT_CLIENT_VERSION)?.[1];
  const context: ContextObject = {
    handle: freshHandle(),
    driver: driver as bigint,
    display: display.handle,
    hooks: (version ?? 1n) === 1n && !isDesktop(state) ? 1 : 2,
    arrays: new ClientArrays(),
    mapped: shared?.mapped.share() ?? new MappedBuffers(),
  };
  display.contexts.set(context.handle, context);
  state.handles.set(context.handle, context.driver, "EGLContext");
  return context.handle;
}

/** Whether new contexts are of desktop OpenGL. */
function isDesktop({ calls }: State): boolean {
  return calls.has("eglQueryAPI") && calls.call("eglQueryAPI") === EGL_OPENGL_API;
}

function makeCurrent(state: State, display: Display, [draw, read]: bigint[], handle: bigint): Word {
  if (handle === 0n) {
    if (draw !== 0n || read !== 0n) return state.fail(EGL_BAD_MATCH, 0);
    return state.current ? release(state, display) : 1;
  }
  const context = state.context(display, handle);
  const surfaces = [draw, read].map((each) => each === 0n ? undefined : state.surface(display, each));
  if (!context || (draw !== 0n && !surfaces[0]) || (read !== 0n && !surfaces[1])) return 0;
  const [drawn, readFrom] = surfaces.map((each: SurfaceObject | undefined) => each?.driver ?? 0n);
  const done = state.calls.call("eglMakeCurrent", display.handle, drawn, readFrom, context.driver);
  if (done === 0) return state.fail(state.calls.error(), 0);
  context.facts ??= factsOf(state, context, display.kind);
  state.setCurrent({ context, draw, read, display });
  return 1;
}

function release(state: State, display: Display): Word {
  const done = state.calls.call("eglMakeCurrent", display.handle, 0n, 0n, 0n);
  if (done === 0) return state.fail(state.calls.error(), 0);
  state.setCurrent(undefined);
  return 1;
}
