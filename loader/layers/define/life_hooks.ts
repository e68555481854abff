import { peek64 } from "../../../ffi/machine.ts";
import { planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { codec } from "../../codec/codec.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { AnyHook } from "../../layer.ts";
import { structAt } from "../../codec/struct_at.ts";
import { destroyingOf, handlesOf, type Handling, isScope, makingOf, poolOf } from "./object_pairs.ts";
import type { ObjectStates } from "./object_states.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * Wraps the hook of a command that creates or destroys objects with state. For
 * all other commands, returns the hook itself, or nothing.
 */
export function withLives(command: string, hook: AnyHook | undefined, states: ObjectStates): AnyHook | undefined {
  if (command === "vkResetDescriptorPool") return states.has("VkDescriptorSet") ? emptier(hook, states) : hook;
  const making = makingOf(command), destroying = destroyingOf(command);
  if (making && states.has(making.type)) return maker(command, making, hook, states);
  if (destroying && (states.has(destroying.type) || isScope(destroying.type) || destroying.type.includes("Pool"))) {
    return destroyer(destroying, hook, states);
  }
  return hook;
}

/** Begins the state below the hook, so that the hook finds the state after the commands below have returned. */
function maker(command: string, making: Handling, hook: AnyHook | undefined, states: ObjectStates): AnyHook {
  const read = infoReader(command);
  const noting = (next: AnyHook | ((...args: Arguments) => unknown)) => (...args: Arguments) => {
    const result = (next as (...args: Arguments) => number)(...args);
    if (result >= 0) begin(command, making, args, states, read);
    return result;
  };
  return (next, ...args) => hook ? hook(noting(next), ...args) : noting(next)(...args);
}

type InfoReader = (args: Arguments, index: number) => unknown;

function begin(command: string, making: Handling, args: Arguments, states: ObjectStates, read: InfoReader): void {
  const { type } = making, pool = poolOf(making, args);
  let isOver = false;
  handlesOf(making, args).forEach((handle, index) => {
    if (handle === 0n || !states.has(type)) return;
    const owner = type === "VkInstance" ? handle : args[0];
    const object = {
      handle,
      owner,
      command: command as keyof RawCommands,
      get info() {
        if (isOver) throw new TypeError(`Cannot read the info of a ${type} now: read it in onCreate`);
        return read(args, index);
      },
    };
    states.add(type, object as never, pool);
  });
  isOver = true;
}

/** Returns a reader for the create info of the object at an index: an element of an array of infos, or the only one. */
function infoReader(command: string): InfoReader {
  const { parameters } = planOf(findCommand(command)!);
  const at = parameters.findIndex(({ kind, written, stars }) => kind === "struct" && !written && stars === 1);
  if (at < 0 || parameters[at].type === "VkAllocationCallbacks") return () => undefined;
  const { type, len } = parameters[at], step = len === "" ? 0n : BigInt(codec(type).size);
  return (args, index) => structAt(type, args[at] + step * BigInt(index));
}

/** Ends the state above the hook, so that the hook can use the state until it returns. */
function destroyer(destroying: Handling, hook: AnyHook | undefined, states: ObjectStates): AnyHook {
  const { type } = destroying;
  return (next, ...args) => {
    const gone = handlesOf(destroying, args).filter((handle) => handle !== 0n);
    const keys = isScope(type) ? gone.map(peek64) : [];
    const result = hook ? hook(next, ...args) : next(...args);
    keys.forEach((key) => states.removeAll(key));
    if (!isScope(type)) gone.forEach((handle) => states.remove(type, args[0], handle));
    return result;
  };
}

/** Ends the state of all objects of a pool that stays; also above the hook. */
function emptier(hook: AnyHook | undefined, states: ObjectStates): AnyHook {
  return (next, ...args) => {
    const result = hook ? hook(next, ...args) : next(...args), [device, pool] = args;
    if (result as number >= 0) states.empty(device, pool);
    return result;
  };
}
