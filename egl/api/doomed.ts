import { type ContextObject, forgetContext, type SurfaceObject } from "./objects.ts";
import type { Doomed, State } from "./state.ts";

/** How a context ends. */
export function doomedContext({ calls }: State, context: ContextObject): Doomed {
  const { handle, display, driver } = context;
  const destroy = () => calls.call("eglDestroyContext", display, driver);
  return { handle, display, destroy, forget: () => forgetContext(context) };
}

/** How a surface ends. Its window may have another from now on, as on Android. */
export function doomedSurface({ calls }: State, surface: SurfaceObject): Doomed {
  const { handle, display, driver } = surface;
  surface.leave?.();
  return { handle, display, destroy: () => calls.call("eglDestroySurface", display, driver) };
}
