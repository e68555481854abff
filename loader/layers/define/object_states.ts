import { peek64 } from "../../../ffi/machine.ts";
import { codec, structAt } from "../../codec/codec.ts";
import { DISPATCHABLE, planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { HandleName } from "../../gen/names_gen.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { isKey, keyAt } from "../hooks/chain_view.ts";
import type { LayerStates, NewObject, StateTypes } from "./definition.ts";
import { destroyingOf, handlesOf, type Handling, isScope, makingOf, poolOf } from "./object_pairs.ts";

/** The state of an object and its pool. */
interface Entry {
  readonly state: unknown;
  /** The pool of the object; 0n for none. */
  readonly pool: bigint;
  /** The number of objects with the handle. Drivers may return one handle for several objects with equal contents. */
  readonly count: number;
}

/** The key that stands for an instance or device, whichever of its handles is used. */
const WHOLE = 0n;

/** The state that a layer keeps for objects, by the dispatch key of their instance or device, by type and by handle. */
export class ObjectStates {
  readonly #makers: object;
  readonly #scopes = new Map<bigint, Map<string, Map<bigint, Entry>>>();

  /** Starts without objects. */
  constructor(makers: object) {
    this.#makers = makers;
  }

  /** Whether objects of a type have state. */
  has(type: string): type is HandleName {
    return type in this.#makers;
  }

  /** Begins the state of a new object. Objects with equal handles share the state of the latest. */
  add<Type extends HandleName>(type: Type, object: NewObject<Type>, pool = 0n): unknown {
    const make = this.#makers[type as keyof object] as (object: NewObject<Type>) => unknown, state = make(object);
    const whole = isScope(type), objects = this.#objects(peek64(whole ? object.handle : object.owner), type);
    const handle = whole ? WHOLE : object.handle, others = whole ? 0 : objects.get(handle)?.count ?? 0;
    objects.set(handle, { state, pool, count: others + 1 });
    return state;
  }

  /**
   * Returns the state of an object. Begins the state of an object that is older
   * than the layer. Throws a `TypeError` if the owner is not a handle.
   */
  get(type: HandleName, owner: bigint, handle: bigint): unknown {
    const key = keyAt(owner);
    if (!this.#scopes.has(key) && !isKey(key)) throw strayOwner(type, owner);
    const entry = this.#objects(key, type).get(isScope(type) ? WHOLE : handle);
    return entry ? entry.state : this.add(type, { handle, owner });
  }

  /** Ends the state of the last object with a handle and, if it is a pool, of the objects of the pool. */
  remove(type: string, owner: bigint, handle: bigint): void {
    const objects = this.#scopes.get(peek64(owner))?.get(type), entry = objects?.get(handle);
    if (entry && entry.count > 1) return void objects!.set(handle, { ...entry, count: entry.count - 1 });
    objects?.delete(handle);
    if (type.includes("Pool")) this.empty(owner, handle);
  }

  /** Ends the state of all objects of a pool. */
  empty(owner: bigint, handle: bigint): void {
    const types = this.#scopes.get(peek64(owner));
    for (const objects of types?.values() ?? []) {
      for (const [each, { pool }] of objects) if (pool === handle) objects.delete(each);
    }
  }

  /** Ends all state of an instance or device, by its dispatch key. */
  removeAll(key: bigint): void {
    this.#scopes.delete(key);
  }

  /** Takes over the state of all objects of a type from another layer, for an instance or device by its dispatch key. */
  keep(from: ObjectStates, key: bigint, type: string, convert: (state: unknown, handle: bigint) => unknown): void {
    for (const [handle, entry] of from.#scopes.get(key)?.get(type) ?? []) {
      this.#objects(key, type).set(handle, { ...entry, state: convert(entry.state, handle) });
    }
  }

  #objects(key: bigint, type: string): Map<bigint, Entry> {
    let types = this.#scopes.get(key);
    if (!types) this.#scopes.set(key, types = new Map());
    let objects = types.get(type);
    if (!objects) types.set(type, objects = new Map());
    return objects;
  }
}

/** The key of a defined layer's states, for the layer that takes its place. */
export const STATES: unique symbol = Symbol("states");

/** A layer was not exchanged, because the new layer's `onReplace` threw. */
export class RefusedExchange extends Error {}

/** Lets a layer keep what the layer knows whose place it takes in an instance; `keys` are the dispatch keys. */
export function handOver(old: Layer, layer: Layer, instance: bigint, keys: readonly bigint[]): void {
  if (!layer.onReplace || layer === old) return;
  const [from, to] = [old, layer].map((each) => (each as { [STATES]?: ObjectStates })[STATES]);
  const keep = (type: string, convert: (state: unknown, handle: bigint) => unknown = (state) => state) => {
    if (!to?.has(type)) throw new TypeError(`Cannot keep the state of ${type}: add ${type} to onCreate`);
    if (from?.has(type)) { for (const key of keys) to.keep(from, key, type, convert); }
  };
  try {
    layer.onReplace({ layer: old, instance, keep });
  } catch (cause) {
    for (const key of keys) to?.removeAll(key);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RefusedExchange(`${layer.name}, onReplace: ${why}; ${old.name} stays in use`, { cause });
  }
}

/** Makes the functions by handle type that return state. */
export function stateAccess(states: ObjectStates, makers: object): LayerStates<StateTypes> {
  const access = Object.keys(makers).map((type) => {
    const isKnown = DISPATCHABLE.has(type), name = type as HandleName;
    return [type, (owner: bigint, handle: bigint) => states.get(name, owner, isKnown ? owner : handle)];
  });
  return Object.fromEntries(access);
}

function strayOwner(type: HandleName, owner: unknown): TypeError {
  const found = typeof owner === "bigint" ? `0x${owner.toString(16)}` : String(owner);
  const advice = "give a dispatchable handle of a living instance or device, such as a hook got";
  return new TypeError(`Cannot find the state of a ${type} by ${found}: ${advice}`);
}

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
