import type { State } from "../api/state.ts";
import type { WindowSurface } from "./window_surface.ts";

/**
 * Gives a surface the current size of its window. The handle stays, and the drawing is lost. A current surface is
 * current again with its new pbuffer. Returns `false` and keeps the old pbuffer if the driver makes no surface of that
 * size.
 */
export function fitCurrent(state: State, surface: WindowSurface): boolean {
  if (!surface.isConnected || !surface.isOutgrown) return true;
  const { current, calls } = state, { width, height } = surface, before = surface.fit();
  if (before === undefined) return false;
  if (current && (current.draw === surface.handle || current.read === surface.handle)) {
    const { display, context } = current;
    const [draw, read] = [current.draw, current.read].map((each) => display.surfaces.get(each)?.driver ?? 0n);
    if (calls.call("eglMakeCurrent", display.handle, draw, read, context.driver) === 0) {
      calls.call("eglDestroySurface", surface.display, surface.driver);
      surface.unfit(before, width, height);
      return false;
    }
  }
  if (before !== 0n) calls.call("eglDestroySurface", surface.display, before);
  return true;
}
