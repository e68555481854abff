import type { Current, State } from "../api/state.ts";
import { EGL_DRAW, EGL_READ } from "../gen/egl_constants_gen.js";
import { driverGl } from "./driver_gl.ts";
import { pixelAbilities } from "./pixel_abilities.ts";
import { keepingDefaultBuffers } from "./pixel_state.ts";
import type { WindowSurface } from "./window_surface.ts";

/**
 * Gives a surface the current size of its window. The handle stays, and the drawing is lost. A current surface is
 * current again with its new pbuffer. Returns `false` and keeps the old pbuffer if the driver makes no surface of that
 * size. The driver's error is reset then.
 */
export function fitCurrent(state: State, surface: WindowSurface): boolean {
  if (!surface.isConnected || !surface.isOutgrown) return true;
  if (fit(state, surface)) return true;
  state.calls.error();
  return false;
}

function fit(state: State, surface: WindowSurface): boolean {
  const { current, calls } = state, { width, height } = surface, before = surface.fit();
  if (before === undefined) return false;
  if (current && [current.draw, current.read].includes(surface.handle) && !replace(state, current, surface)) {
    calls.call("eglDestroySurface", surface.display, surface.driver);
    surface.unfit(before, width, height);
    return false;
  }
  if (before !== 0n) calls.call("eglDestroySurface", surface.display, before);
  return true;
}

/** Makes the new pbuffer current in the place of the former one. Returns whether the driver does so. */
function replace(state: State, { draw, read, context, display }: Current, { handle, driver }: WindowSurface): boolean {
  const { calls } = state, gl = driverGl(state, context);
  const now = (each: bigint, which: number) =>
    each === handle ? driver : calls.call("eglGetCurrentSurface", which) as bigint;
  const drawn = now(draw, EGL_DRAW), readFrom = now(read, EGL_READ);
  return keepingDefaultBuffers(
    gl,
    pixelAbilities(gl, context),
    () => calls.call("eglMakeCurrent", display.handle, drawn, readFrom, context.driver) !== 0,
  );
}
