import type { Command } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import type { DestroyedHandles } from "./destroyed.ts";
import { goneWatch } from "./gone.ts";
import { madeWatch } from "./made.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * How to watch the handles that come and go with a command. In a successful
 * call the functions get only three arguments, the first and the two of the
 * watch, so that no array of all is made for each call.
 */
export interface HandleWatch {
  /** Index of the argument that is the handle, or points to the handles. */
  readonly place: number;
  /** Index of the argument that is the number of handles, or points to it. */
  readonly measure: number;
  /** Called before the command below. */
  before?(owner: bigint, place: bigint, measure: bigint): void;
  /** Called after the command below has returned, with the same arguments. */
  after?(owner: bigint, place: bigint, measure: bigint, result: unknown): void;
  /** Throws a `TypeError` if the hook returns an object that nobody below has created. */
  returns?(owner: bigint, place: bigint, measure: bigint, result: unknown): void;
  /** Called if the hook failed after all. No object may stay where the caller, or a hook above, would look. */
  undo?(args: Arguments): void;
  /** Notes the beginnings and ends of the command's hooks. */
  readonly destroyed?: DestroyedHandles;
  /**
   * Whether the command below must be called although the hook has failed.
   * `began` is the result of `destroyed.begin()`.
   */
  owes?(args: Arguments, began: number): boolean;
}

/**
 * Returns the watch over the handles that come or go with a layer's calls of a
 * command; `undefined` if there are none, or if the layer has handles of its
 * own.
 */
export function watchOf(layer: Layer, command: Command): HandleWatch | undefined {
  return layer.ownHandles ? undefined : madeWatch(layer, command) ?? goneWatch(layer, command);
}
