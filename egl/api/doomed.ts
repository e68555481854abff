import { type ContextObject, forgetContext, type SurfaceObject } from "./objects.ts";
import type { Doomed, State } from "./state.ts";

/** Ends a context. */
export function doomedContext({ calls }: State, context: ContextObject): Doomed {
  const { handle, display, driver } = context;
  const destroy = () => calls.call("eglDestroyContext", display, driver);
  return { handle, display, destroy, forget: () => forgetContext(context) };
}

/** Ends a surface. From now on its window may get another surface, as on Android. */
export function doomedSurface({ calls }: State, surface: SurfaceObject): Doomed {
  const { handle, display, driver } = surface;
  surface.leave?.();
  return { handle, display, destroy: () => calls.call("eglDestroySurface", display, driver) };
}
