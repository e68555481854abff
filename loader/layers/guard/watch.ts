import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { goneWatch } from "./gone.ts";
import { madeWatch } from "./made.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/** How the handles are watched that come and go by a command. */
export interface HandleWatch {
  /** Told what the command below is about to be called with. */
  before?(args: Arguments): void;
  /** Told what it was called with and has returned. */
  after?(args: Arguments, result: unknown): void;
  /** Throws a `TypeError` when the hook returns what nobody below has made. */
  returns?(args: Arguments, result: unknown): void;
  /** Told that the hook failed after all: nothing may stay where the caller, or what stands before it, would look. */
  undo?(args: Arguments): void;
  /** Told that a hook begins. */
  begin?(): void;
  /** Told that it ends. */
  end?(): void;
  /** Whether what lies below is to be called all the same, when the hook has failed. */
  owes?(args: Arguments): boolean;
}

/** The watch over the handles that come or go by a layer's calls of a command; `undefined` where none do, or where they are the layer's own. */
export function watchOf(layer: Layer, command: Command): HandleWatch | undefined {
  return layer.ownHandles ? undefined : madeWatch(layer, command) ?? goneWatch(layer, command);
}
