import { BLOB_CACHE_SETTER } from "../api/blob_cache_setter.ts";
import { extraCommand } from "../api/extra_commands.ts";
import type { Command } from "../command/spec.ts";
import { eglCommands, glCommands } from "../dispatch/names.ts";

/** Queries of GL that Android's loader answers in part itself, in contexts of every version. */
export const QUERIES: readonly string[] = [
  "glGetString",
  "glGetStringi",
  "glGetBooleanv",
  "glGetFloatv",
  "glGetIntegerv",
  "glGetInteger64v",
];

/** A command of EGL or GL that layers can hook; `undefined` for other names. */
export function commandNamed(name: string): Command | undefined {
  if (name === BLOB_CACHE_SETTER) return undefined;
  return glCommands.find(name) ?? eglCommands.find(name) ?? extraCommand(name);
}

/** The names of all commands that layers can hook. */
export function allCommands(): string[] {
  const egl = eglCommands.names.filter((name) => name !== BLOB_CACHE_SETTER);
  return [...egl, "eglQueryStringImplementationANDROID", ...glCommands.names];
}

/** Whether a command is one of GL. */
export function isGl(name: string): boolean {
  return glCommands.slot(name) !== undefined;
}

/** Commands of EGL that concern the calling thread: its current objects, its API, its error. */
const OF_THREAD = new Set(
  `
eglMakeCurrent eglReleaseThread eglBindAPI eglQueryAPI eglGetError eglGetCurrentContext eglGetCurrentDisplay
eglGetCurrentSurface eglWaitClient eglWaitGL eglWaitNative eglSwapInterval eglSwapBuffers eglSwapBuffersWithDamageKHR
eglSwapBuffersWithDamageEXT eglCopyBuffers eglBindTexImage eglReleaseTexImage eglCreateSync eglCreateSyncKHR
eglWaitSync eglWaitSyncKHR eglCreateImage eglCreateImageKHR eglCreateContext`.trim().split(/\s+/),
);

/** Whether a command depends on the calling thread. All commands of GL do. */
export function isOfThread(name: string): boolean {
  return isGl(name) || OF_THREAD.has(name);
}
