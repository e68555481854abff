import { extraCommand } from "./extra_commands.ts";
import { eglCommands } from "../dispatch/names.ts";
import { driverCommand } from "./driver_commands.ts";
import type { RawCommand, State } from "./state.ts";

/**
 * Routes a command by its display: to `ours` with the driver's handle for a
 * display of ours, else to the driver with unchanged arguments. Commands
 * without a display go to `ours`. On Android there are no other displays.
 */
export function routed(state: State, name: string, ours: RawCommand): RawCommand {
  const first = (eglCommands.find(name) ?? extraCommand(name))?.params[0];
  if (state.platform === "android" || first?.code !== "EGLDisplay" || first.stars > 0) return ours;
  const drivers = driverCommand(state, name);
  return (dpy, ...rest) => {
    const display = state.shown.get(dpy as bigint);
    return display ? ours(display.handle, ...rest) : drivers(dpy, ...rest);
  };
}
