import { eglCommands } from "../dispatch/names.ts";
import { failureOf } from "./forward.ts";
import type { State } from "./state.ts";

/** What must not be asked of the driver alone, though no context or surface is named. */
const OURS = new Set([
  "eglGetDisplay",
  "eglGetPlatformDisplay",
  "eglGetPlatformDisplayEXT",
  "eglInitialize",
  "eglTerminate",
  "eglGetProcAddress",
  "eglSetBlobCacheFuncsANDROID",
]);
/** Results that the loader makes. */
const MADE = new Set(["EGLContext", "EGLSurface", "EGLDisplay"]);

/**
 * Where a command goes that native code calls on a thread that isn't the
 * loader's: to the driver, if it means the same there; 0n for nowhere.
 */
export function elsewhere({ calls }: State, name: string): bigint {
  const command = eglCommands.find(name);
  if (!command || OURS.has(name) || MADE.has(command.result)) return 0n;
  const isWrapped = command.params.some(({ code }) => code === "EGLContext" || code === "EGLSurface");
  return isWrapped ? 0n : calls.address(name);
}

/** What a command returns to native code when it cannot be carried out. */
export function failureFor(name: string): number | bigint {
  const command = eglCommands.find(name);
  return command ? failureOf(command) : 0n;
}
