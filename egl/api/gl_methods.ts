import type { Method, MethodParts } from "../command/method.ts";
import type { Command } from "../command/spec.ts";
import type { Gl } from "./gl_scope.ts";
import type { State } from "./state.ts";

/** A typed method that is not made from the tables. */
export function handMadeMethod(_state: State, _gl: Gl, _name: string): Method | undefined {
  return undefined;
}

/** What a method made from the tables needs beside them. */
export function partsOf(_state: State, _gl: Gl, _command: Command): Omit<MethodParts, "call"> {
  return {};
}
