import { generatedMaker, mayGenerate, ownMark } from "../../../ffi/generated_code.ts";
import { LongList } from "../../../ffi/long.ts";
import { peek64 } from "../../../ffi/machine.ts";
import type { NativeCall } from "../../command/compile.ts";
import type { Command } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import { destroyingOf, handlesOf, type Handling, isScope, makingOf } from "../define/object_pairs.ts";
import { forgetAll, forgetPooled, KnownHandles, pooledType } from "./known_handles.ts";
import { madeWatch } from "./made.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * A watch over the handles that come and go with a command. In a successful
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

/** The handles that were passed on for destruction since the outermost running hook of a destruction began. */
export class DestroyedHandles {
  /** In an array of this kind, a bigint need not be made an object. */
  #handles = new BigUint64Array(16);
  #count = 0;
  /** The number of running hooks. */
  #depth = 0;

  /** Notes that a hook begins. Returns the time of the beginning, for {@linkcode DestroyedHandles.hasSince}. */
  begin(): number {
    this.#depth++;
    return this.#count;
  }

  /** Notes that the latest hook ends. */
  end(): void {
    if (--this.#depth === 0) this.#count = 0;
  }

  /** Notes a handle, if a hook is running. */
  note(handle: bigint): void {
    if (this.#depth === 0) return;
    if (this.#count === this.#handles.length) this.#grow();
    this.#handles[this.#count++] = handle;
  }

  /** Whether a handle was noted since a running hook began. */
  hasSince(began: number, handle: bigint): boolean {
    return this.#count > began && this.#handles.lastIndexOf(handle, this.#count - 1) >= began;
  }

  /** Makes room for more handles. */
  #grow(): void {
    const handles = new BigUint64Array(2 * this.#handles.length);
    handles.set(this.#handles);
    this.#handles = handles;
  }
}

/**
 * Returns the watch over the handles that come or go with a layer's calls of a
 * command; `undefined` if there are none, or if the layer has handles of its
 * own.
 */
export function watchOf(layer: Layer, command: Command): HandleWatch | undefined {
  return layer.ownHandles ? undefined : madeWatch(layer, command) ?? goneWatch(layer, command);
}

type Maker = (next: NativeCall, watch: HandleWatch) => NativeCall;

/**
 * For a layer whose hooks create objects but do not hook the command that
 * destroys them: returns a link that forgets their handles. Returns `next`
 * itself if there are none.
 */
export function forgettingLink(layer: Layer, command: Command, next: NativeCall): NativeCall {
  const watch = makesWhatGoes(layer, command) ? watchOf(layer, command) : undefined;
  return watch ? (mayGenerate() ? compiled(command.params.length, watch) : interpreted)(next, watch) : next;
}

/** Whether a layer makes objects that a command destroys. */
export function makesWhatGoes({ commands }: Layer, { name }: Command): boolean {
  const type = commands && endingOf(name);
  if (type === undefined) return false;
  const made = Object.keys(commands!).map((name) => makingOf(name)?.type), pooled = pooledType(type);
  return made.some((each) => each !== undefined && (each === type || each === pooled || isScope(type)));
}

/** The arity is fixed, so that nothing is allocated for a call. */
function compiled(arity: number, { place, measure }: HandleWatch): Maker {
  const args = Array.from({ length: arity }, (_, index) => `a${index}`).join(", ");
  const text = `return (${args}) => { watch.before(a0, a${place}, a${measure}); return next(${args}); };`;
  return generatedMaker(["next", "watch"], text + ownMark(text), "forgetting") as Maker;
}

function interpreted(next: NativeCall, watch: HandleWatch): NativeCall {
  const { place, measure } = watch;
  return (...args) => {
    watch.before!(args[0], args[place], args[measure]);
    return next(...args);
  };
}

/** The handles that all layers have passed on. */
const destroyed = new DestroyedHandles();

/** The command that frees all objects of a pool and keeps the pool. */
const RESET = "vkResetDescriptorPool";

/**
 * Returns the watch over objects that a command destroys, so that a layer
 * forgets their handles; `undefined` if the command destroys none.
 */
export function goneWatch(layer: Layer, command: Command): HandleWatch | undefined {
  if (command.name === RESET) return resetWatch(layer);
  const destroying = destroyingOf(command.name);
  if (!destroying) return undefined;
  const { type, place, measure, byValue, count, read } = destroying;
  const known = new KnownHandles(layer, type), one = new LongList();
  const isWhole = isScope(type), isPool = pooledType(type) !== undefined;
  if (byValue && !isWhole && !isPool) return new OneGone(destroying, known, destroyed);
  return {
    place,
    measure,
    destroyed,
    // Destroying cannot fail: the caller has no way to try again.
    owes: (args, began) => !handlesOf(destroying, args).some((each) => destroyed.hasSince(began, each)),
    before(owner, place, measure) {
      if (owner === 0n) return;
      for (let index = 0, end = byValue ? 1 : count(place, measure); index < end; index++) {
        if (!byValue) read(one, 0, index, place, measure);
        const each = byValue ? place : one.get(0);
        destroyed.note(each);
        if (!isWhole) known.forget(owner, each);
        if (isPool) forgetPooled(layer, peek64(owner), type, each);
      }
      if (isWhole) forgetAll(layer, peek64(owner));
    },
  };
}

/** Returns the watch over emptying a pool, which cannot fail. */
function resetWatch(layer: Layer): HandleWatch {
  return {
    place: 1,
    measure: 1,
    before(owner, pool) {
      if (owner !== 0n) forgetPooled(layer, peek64(owner), "VkDescriptorPool", pool);
    },
  };
}

/** Returns the type of the objects that a command destroys, or frees with their pool; `undefined` if there are none. */
export function endingOf(name: string): string | undefined {
  return name === RESET ? "VkDescriptorPool" : destroyingOf(name)?.type;
}

/** The watch over a command that destroys one handle, which is an argument. For why this is a class, see `OneMade`. */
export class OneGone implements HandleWatch {
  /** See {@linkcode HandleWatch.place}. */
  readonly place: number;
  /** See {@linkcode HandleWatch.measure}. */
  readonly measure: number;
  /** See {@linkcode HandleWatch.destroyed}. */
  readonly destroyed: DestroyedHandles;
  readonly #known: KnownHandles;

  constructor({ place, measure }: Handling, known: KnownHandles, destroyed: DestroyedHandles) {
    this.place = place;
    this.measure = measure;
    this.destroyed = destroyed;
    this.#known = known;
  }

  /** See {@linkcode HandleWatch.before}. */
  before(owner: bigint, handle: bigint): void {
    if (owner === 0n) return;
    this.destroyed.note(handle);
    this.#known.of(owner).delete(handle);
  }

  /** See {@linkcode HandleWatch.owes}. Destroying cannot fail: the caller has no way to try again. */
  owes(args: readonly bigint[], began: number): boolean {
    return !this.destroyed.hasSince(began, args[this.place]);
  }
}
