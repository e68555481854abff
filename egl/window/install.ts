import type { RawCommand, State } from "../api/state.ts";
import type { EglScope } from "../api/scope.ts";
import { configCommands } from "./configs.ts";
import { timestampCommands } from "./frame_timestamps.ts";
import { windowCommand, windowSurfaceCommands } from "./surface_commands.ts";

/** Extensions that window surfaces have whatever the driver has. */
const OF_SURFACES = ["EGL_ANDROID_recordable", "EGL_EXT_buffer_age", "EGL_KHR_partial_update"];

/** What was put on top of a driver. */
export interface Windows {
  /** The extensions of an initialized display that are not the driver's own. */
  provided(display: bigint): string[];
}

/**
 * Gives a loader window surfaces on the windows of `@pumice/gfx/wsi`, over a
 * driver that knows no Android windows, and Android's extensions that go with
 * them. Call it once, before displays are initialized.
 */
export function installWindows(scope: EglScope): Windows {
  const { state } = scope;
  const before = (name: string): RawCommand => scope.raw(name)!;
  for (const name of OF_SURFACES) state.provided.add(name);
  const commands = {
    ...configCommands(state, before),
    ...windowSurfaceCommands(state, before),
    ...timestampCommands(state, (_name, work) => windowCommand(state, undefined, work)),
  };
  for (const [name, command] of Object.entries(commands)) scope.provide(name, command);
  return {
    provided: (display) => providedTo(state, display),
  };
}

function providedTo({ provided, displays }: State, display: bigint): string[] {
  const own = displays.get(display)?.driverExtensions;
  return [...provided].filter((name) => !own?.has(name)).sort();
}
