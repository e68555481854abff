import { eglCommands } from "../dispatch/names.ts";
import { EGL_EXTENSIONS } from "../gen/egl_constants_gen.js";
import { extraCommand } from "./extra_commands.ts";
import { driversAddress, failureOf } from "./forward.ts";
import type { State } from "./state.ts";

/** Commands that take windows; where those are TypeScript's, drivers would follow pointers in them. */
const WINDOWED = ["eglCreateWindowSurface", "eglCreatePlatformWindowSurface", "eglCreatePlatformWindowSurfaceEXT"];
/** A function that native code finds under this name refuses a command that the driver lacks, with this result. */
export const REFUSALS: readonly (readonly [name: string, failure: number])[] = [["refuse 0", 0], ["refuse -1", -1]];
/** Functions that answer for no display themselves, and leave all else to the driver: the default display, the client's extensions. */
export const DEFAULTED: readonly (readonly [name: string, second?: number])[] = [["eglGetDisplay"], [
  "eglQueryString",
  EGL_EXTENSIONS,
]];
/** The name of such a function among the loader's own. */
export const defaultOf = (name: string): string => `default of ${name}`;

/**
 * The address for native code that calls a command on a thread that isn't the
 * loader's. The command goes to the driver, which knows the caller's handles
 * and keeps what is current on each thread and its errors. Work that only
 * TypeScript can do (windows of this process and their displays) is unknown to
 * the driver, so the driver refuses it. `address` finds a function of the
 * loader's by name.
 */
export function elsewhere(state: State, name: string, address: (name: string) => bigint): bigint {
  if (DEFAULTED.some(([each]) => each === name)) return address(defaultOf(name));
  const isRefused = state.platform === "android" && state.provided.size > 0 && WINDOWED.includes(name);
  return (isRefused ? 0n : driversAddress(state, name)) || address(refusalOf(name));
}

function refusalOf(name: string): string {
  return REFUSALS.find(([, failure]) => failure === Number(failureFor(name)))![0];
}

/** Returns the result for native code of a command that cannot be carried out. */
export function failureFor(name: string): number | bigint {
  const command = eglCommands.find(name) ?? extraCommand(name);
  return command ? failureOf(command) : 0n;
}
