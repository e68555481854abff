import { inFrame } from "../../ffi/arena.ts";
import { EGL_CONFIG_ID } from "../gen/egl_constants_gen.js";
import { ClientArrays } from "./client_arrays.ts";
import type { Display } from "./display.ts";
import { hooksOf } from "./driver_commands.ts";
import { MappedBuffers } from "./mapped_buffers.ts";
import type { ContextObject, SurfaceObject } from "./objects.ts";
import type { State } from "./state.ts";

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
