import type { Command } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import type { DestroyedHandles } from "./destroyed.ts";
import { goneWatch } from "./gone.ts";
import { madeWatch } from "./made.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * How the handles are watched that come and go by a command. While all goes
 * well the functions get three of its arguments: the first, and the two of the
 * watch. No list of all is made for each call then.
 */
export interface HandleWatch {
  /** Which argument is the handle, or leads to the handles. */
  readonly place: number;
  /** Which argument says how many there are, or leads to what says it. */
  readonly measure: number;
  /** Told what the command below is about to be called with. */
  before?(owner: bigint, place: bigint, measure: bigint): void;
  /** Told what it was called with and has returned. */
  after?(owner: bigint, place: bigint, measure: bigint, result: unknown): void;
  /** Throws a `TypeError` when the hook returns what nobody below has made. */
  returns?(owner: bigint, place: bigint, measure: bigint, result: unknown): void;
  /** Told that the hook failed after all: nothing may stay where the caller, or what stands before it, would look. */
  undo?(args: Arguments): void;
  /** What hooks of the command tell when they begin and end. */
  readonly destroyed?: DestroyedHandles;
  /** Whether what lies below is to be called all the same, when the hook has failed; with what its `destroyed` said when it began. */
  owes?(args: Arguments, began: number): boolean;
}

/** The watch over the handles that come or go by a layer's calls of a command; `undefined` where none do, or where they are the layer's own. */
export function watchOf(layer: Layer, command: Command): HandleWatch | undefined {
  return layer.ownHandles ? undefined : madeWatch(layer, command) ?? goneWatch(layer, command);
}
