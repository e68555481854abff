import type { Method, MethodParts } from "../command/method.ts";
import type { Command } from "../command/spec.ts";
import { glCommands } from "../dispatch/names.ts";
import { arrayMethod } from "./gl_arrays.ts";
import { debugCallbackMethod, debugLogMethod } from "./gl_debug.ts";
import { mappingMethods } from "./gl_mapping.ts";
import type { Gl } from "./gl_scope.ts";
import { bytesOfCommand } from "./gl_sizes.ts";
import type { State } from "./state.ts";

/** A typed method that is not made from the tables: what maps, what is kept beyond the call, what comes in several pieces. */
export function handMadeMethod(state: State, gl: Gl, name: string): Method | undefined {
  if (name === "glGetDebugMessageLog" || name === "glGetDebugMessageLogKHR") return debugLogMethod(gl, name);
  if (name === "glDebugMessageCallback" || name === "glDebugMessageCallbackKHR") {
    return debugCallbackMethod(state, gl, name);
  }
  if (/^gl(?:Map|Unmap)Buffer/.test(name)) return mappingMethods(state, gl)[name];
  return arrayMethod(state, gl, glCommands.find(name)!);
}

/** What a method made from the tables needs beside them. */
export function partsOf(state: State, gl: Gl, command: Command): Omit<MethodParts, "call"> {
  return { bytes: bytesOfCommand(state, gl, command) };
}
