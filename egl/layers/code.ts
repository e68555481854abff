import type { NativeFunction } from "../../ffi/stubs.ts";
import { mayGenerate } from "../../loader/codec/compile.ts";
import type { RawCommand, State } from "../api/state.ts";
import { generatedRaw } from "../command/generate.ts";
import type { Command } from "../command/spec.ts";
import type { AnyGlesHook, GlesLayerContext } from "./gles_layer.ts";

// What is called at every command is made as code of its own where that is
// allowed: functions that several commands share are never compiled for one,
// and calls of native functions in them take ten times as long. Where a layer
// hooks all commands, making the code would take longer than it saves.

function parameters(count: number): { readonly all: string; readonly list: readonly string[] } {
  const list = Array.from({ length: count }, (_, index) => `p${index}`);
  return { all: list.join(", "), list };
}

/** Calls a command at the addresses of a table, which may change. */
export function callAt(
  command: Command,
  carry: NativeFunction,
  now: { readonly addresses: readonly bigint[] },
  slot: number,
  isHot: boolean,
): RawCommand {
  if (isHot && mayGenerate()) return generatedRaw(command, carry, { now, slot }) as RawCommand;
  return (...args) => carry(...args, now.addresses[slot]);
}

/** A hook as a command. */
export function hooked(
  hook: AnyGlesHook,
  self: GlesLayerContext,
  next: RawCommand,
  { params }: Command,
  isHot: boolean,
): RawCommand {
  if (!isHot || !mayGenerate()) return (...args) => hook.call(self, next, ...args);
  const { all, list } = parameters(params.length), given = ["$self", "$next", ...list].join(", ");
  return new Function("$hook", "$self", "$next", `return (${all}) => $hook.call(${given})`)(hook, self, next);
}

/** What `gated` decides by, and between. */
export interface Gate {
  /** What is current. */
  readonly state: State;
  /** Goes into the layers. */
  readonly layered: RawCommand;
  /** Goes past them; given the address that the tables have, too. */
  readonly without: NativeFunction;
  /** Whether contexts of OpenGL ES 1 go into the layers. */
  readonly isForAll: boolean;
}

/** What carries a GL command out where layers stand before it: they count while a context of theirs is current. */
export function gated({ params }: Command, gate: Gate, isHot: boolean): NativeFunction {
  const { state, layered, without, isForAll } = gate;
  if (!isHot || !mayGenerate()) {
    const enters = () => state.current !== undefined && (isForAll || state.current.context.hooks === 2);
    return (...args) => enters() ? layered(...args.slice(0, -1)) : without(...args);
  }
  const { all, list } = parameters(params.length), which = isForAll ? "" : " && $state.current.context.hooks === 2";
  const past = [...list, "$at"].join(", ");
  const text = `(${past}) => $state.current !== undefined${which} ? $layered(${all}) : $without(${past})`;
  return new Function("$state", "$layered", "$without", `return ${text}`)(state, layered, without);
}
