import { arena, inFrame } from "../../ffi/arena.ts";
import type { NativeFunction } from "../../ffi/stubs.ts";
import { generatedMaker, mayGenerate } from "../../ffi/generated_code.ts";
import type { RawCommand, State } from "../api/state.ts";
import { generatedRaw, rawText } from "../command/generate.ts";
import { type Command, signatureOf } from "../command/spec.ts";
import type { AnyGlesHook, GlesLayerContext } from "./gles_layer.ts";

// The functions of every command are generated code where that is permitted: functions that several commands share are
// never compiled for one of them, and their calls of native functions take ten times as long. For a layer that hooks
// all commands, generating the code would take longer than it saves. Then the commands of a signature share a function,
// and with it the native function.

const makers = new Map<string, (...given: unknown[]) => NativeFunction>();

/**
 * Makes a function from a text that uses the given values: from a text of its own, or shared by the commands of a
 * signature.
 */
function made(text: string, given: Readonly<Record<string, unknown>>, command: Command, isHot: boolean) {
  if (isHot) return compiled(text, given, command.name)(...Object.values(given));
  const key = `${signatureOf(command)} ${text}`, maker = makers.get(key) ?? compiled(text, given, signatureOf(command));
  makers.set(key, maker);
  return maker(...Object.values(given));
}

function compiled(text: string, given: Readonly<Record<string, unknown>>, name: string) {
  return generatedMaker(Object.keys(given), `return ${text};`, `egl/layer/${name}`) as (
    ...given: unknown[]
  ) => NativeFunction;
}

function parameters({ params }: Command): readonly string[] {
  return params.map((_, index) => `p${index}`);
}

/** Calls a command at the addresses of a table. The addresses may change. */
export function callAt(
  command: Command,
  carry: NativeFunction,
  now: { readonly addresses: readonly bigint[] },
  slot: number,
  isHot: boolean,
): RawCommand {
  if (!mayGenerate()) return (...args) => carry(...args, now.addresses[slot]);
  if (isHot) return generatedRaw(command, carry, { now, slot }) as RawCommand;
  return made(rawText(command, "$slot"), { $call: carry, $now: now, $slot: slot }, command, isHot);
}

/** Makes a command of a hook. */
export function hooked(
  hook: AnyGlesHook,
  self: GlesLayerContext,
  next: RawCommand,
  command: Command,
  isHot: boolean,
): RawCommand {
  if (!mayGenerate()) return (...args) => inFrame(() => hook.call(self, next, ...args));
  const list = parameters(command), given = ["$self", "$next", ...list].join(", ");
  const text = `(${list.join(", ")}) => {
    const mark = $memory.mark();
    try { return $hook.call(${given}); } finally { $memory.release(mark); }
  }`;
  return made(text, { $hook: hook, $self: self, $next: next, $memory: arena() }, command, isHot);
}

/** The entrance of native code into layers, which calls the current function. */
export function entered(command: Command, led: { readonly call: RawCommand }, isHot: boolean): RawCommand {
  if (!mayGenerate()) return (...args) => led.call(...args);
  const list = parameters(command).join(", ");
  return made(`(${list}) => $led.call(${list})`, { $led: led }, command, isHot);
}

/** The values by which `gated` decides, and the two functions. */
export interface Gate {
  /** The loader's state with the current objects. */
  readonly state: State;
  /** Calls the layers. */
  readonly layered: RawCommand;
  /** Bypasses the layers. Gets the table's address as an additional argument. */
  readonly without: NativeFunction;
  /** Whether layers take part in contexts of OpenGL ES 1. */
  readonly isForAll: boolean;
}

/** Carries out a GL command with layers: the layers take part while one of their contexts is current. */
export function gated(command: Command, { state, layered, without, isForAll }: Gate, isHot: boolean): NativeFunction {
  if (!mayGenerate()) {
    const enters = () => state.current !== undefined && (isForAll || state.current.context.hooks === 2);
    return (...args) => enters() ? layered(...args.slice(0, -1)) : without(...args);
  }
  const all = parameters(command).join(", "), which = isForAll ? "" : " && $state.current.context.hooks === 2";
  const past = [...parameters(command), "$at"].join(", ");
  const text = `(${past}) => $state.current !== undefined${which} ? $layered(${all}) : $without(${past})`;
  return made(text, { $state: state, $layered: layered, $without: without }, command, isHot);
}
