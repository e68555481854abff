import { extraCommand } from "../api/extra_commands.ts";
import type { Command } from "../command/spec.ts";
import { eglCommands, glCommands } from "../dispatch/names.ts";

/** Queries of GL that Android's loader answers in part itself, whatever the version of the context. */
export const QUERIES: readonly string[] = [
  "glGetString",
  "glGetStringi",
  "glGetBooleanv",
  "glGetFloatv",
  "glGetIntegerv",
  "glGetInteger64v",
];

/** A command of EGL or GL that layers can stand before; `undefined` for other names. */
export function commandNamed(name: string): Command | undefined {
  if (name === "eglSetBlobCacheFuncsANDROID") return undefined;
  return glCommands.find(name) ?? eglCommands.find(name) ?? extraCommand(name);
}

/** The names of all of them. */
export function allCommands(): string[] {
  const egl = eglCommands.names.filter((name) => name !== "eglSetBlobCacheFuncsANDROID");
  return [...egl, "eglQueryStringImplementationANDROID", ...glCommands.names];
}

/** Whether a command is one of GL. */
export function isGl(name: string): boolean {
  return glCommands.slot(name) !== undefined;
}
