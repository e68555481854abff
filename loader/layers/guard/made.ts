import { GROUP } from "../../emit/layout.ts";
import { longAt, longIn, LongList, type LongSet } from "../../../ffi/long.ts";
import { peek32, peek64, poke64 } from "../../../ffi/machine.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import type { NativeCall } from "../../command/compile.ts";
import { DISPATCHABLE } from "../../command/plan.ts";
import { type Command, findCommand } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import { type Handling, isScope, makingOf, readFrom } from "../define/object_pairs.ts";
import { viewOf } from "../hooks/chain_view.ts";
import { isDispatchable, KnownHandles, knowsHandle } from "./known_handles.ts";
import type { HandleWatch } from "./watch.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * Returns the watch over the results of a layer's hook; `undefined` if the
 * command returns no handle and no mapping.
 */
export function madeWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const making = makingOf(command.name), handling = making ?? gettingOf(command);
  if (!handling) return mappingWatch(layer, command);
  return handleWatch(layer, command, handling, making !== undefined);
}

function handleWatch(layer: Layer, command: Command, handling: Handling, isMaking: boolean): HandleWatch {
  const { type, place, measure, isOne, count, read, pool } = handling, known = new KnownHandles(layer, type);
  const isGlobal = command.level === "global",
    isNamedByKey = isGlobal || isScope(type),
    mayBeOther = DISPATCHABLE.has(type);
  const isRight = (owner: bigint) =>
    !isNamedByKey && known.has(owner, returned, 0) || mayBeOther && isDispatchable(returned.get(0));
  const output = command.params.findIndex((each) => each.written && each.type === type);
  const made = new LongList(), returned = new LongList();
  // A driver may answer NULL with success, as some do to an allocation of no bytes. A layer that passes this on is right.
  let length = 0, gaveNull = false;
  const undo = (args: Arguments, handles: readonly bigint[]) => {
    if (output >= 0 && args[output] !== 0n) {
      for (let index = count(args[place], args[measure]) - 1; index >= 0; index--) {
        poke64(args[output] + 8n * BigInt(index), 0n);
      }
    }
    if (isMaking) undoMaking(layer, command, type, handles, args);
  };
  const watch = {
    place,
    measure,
    before() {
      length = 0;
    },
    after(owner: bigint, place: bigint, measure: bigint, result: unknown) {
      if (!isSuccess(result)) return;
      const handles = isGlobal ? undefined : pool ? known.from(owner, pool(measure)) : known.of(owner);
      length = isOne ? Number(place !== 0n) : count(place, measure);
      made.reserve(length);
      for (let index = 0; index < length; index++) {
        if (isOne) made.read(0, place);
        else read(made, index, index, place, measure);
        if (made.isZero(index)) gaveNull = true;
        else if (isMaking) handles?.addAgainFrom(made, index);
        else handles?.addFrom(made, index);
      }
    },
    undo(args: Arguments) {
      gaveNull = false;
      undo(args, Array.from({ length }, (_, index) => made.get(index)));
    },
    returns(owner: bigint, place: bigint, measure: bigint, result: unknown) {
      const mayBeNull = gaveNull || result !== 0 && result !== undefined;
      gaveNull = false;
      if (!isSuccess(result)) return;
      for (let index = 0, end = isOne ? Number(place !== 0n) : count(place, measure); index < end; index++) {
        if (isOne) returned.read(0, place);
        else read(returned, 0, index, place, measure);
        if (returned.isZero(0) ? mayBeNull : isRight(owner)) continue;
        throw new TypeError(
          `${layer.name} returns 0x${
            returned.get(0).toString(16)
          } from ${command.name}, which is no ${type} that was made below; ` +
            "return what next() gives, or say `ownHandles: true` if the layer makes handles of its own",
        );
      }
    },
  } satisfies HandleWatch;
  const isSimple = isOne && !isNamedByKey && !mayBeOther && !pool;
  return isSimple ? new OneMade(handling, known, { returns: watch.returns, undo }) : watch;
}

/** The watch over commands that map memory and return the address. */
function mappingWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const place = command.params.findIndex(({ type, stars, written }) => type === "void" && stars === 2 && written);
  if (place < 0) return undefined;
  let given: bigint | undefined;
  return {
    place,
    measure: place,
    before() {
      given = undefined;
    },
    after(_owner, place, _measure, result) {
      if (isSuccess(result)) given = longAt(place);
    },
    returns(_owner, place, _measure, result) {
      if (!isSuccess(result)) return;
      const returned = longAt(place);
      if (returned === given || isMapped(returned)) return;
      throw new TypeError(
        `${layer.name} returns 0x${
          returned.toString(16)
        } from ${command.name}, where there is no memory; return what next() gives`,
      );
    },
  };
}

function isSuccess(result: unknown): boolean {
  return result === undefined || result as number >= 0;
}

/** The part of the watch over one handle that the watch over any number of handles does. */
interface Rest {
  readonly returns: NonNullable<HandleWatch["returns"]>;
  /** Undoes the creation of these handles. */
  readonly undo: (args: Arguments, handles: readonly bigint[]) => void;
}

/**
 * The watch over a command that creates one handle, identified by its owner and
 * its type. Most creating commands are such. All of them share the methods of
 * one class. The engine compiles a method well if its calls always lead to the
 * same functions, which is not so for closures over different values.
 */
class OneMade implements HandleWatch {
  /** See {@linkcode HandleWatch.place}. */
  readonly place: number;
  /** See {@linkcode HandleWatch.measure}. */
  readonly measure: number;
  readonly #known: KnownHandles;
  readonly #rest: Rest;
  readonly #made = new LongList();
  readonly #returned = new LongList();
  /** The set that got the handle; `undefined` while nothing is created. */
  #handles: LongSet | undefined;
  /** The removals from the set by then. */
  #removals = 0;

  /** `rest` is the watch over any number of handles of the same command. */
  constructor({ place, measure }: Handling, known: KnownHandles, rest: Rest) {
    this.place = place;
    this.measure = measure;
    this.#known = known;
    this.#rest = rest;
  }

  /** See {@linkcode HandleWatch.before}. */
  before(): void {
    this.#handles = undefined;
  }

  /** See {@linkcode HandleWatch.after}. */
  after(owner: bigint, place: bigint, _measure: bigint, result: unknown): void {
    if (result as number < 0 || place === 0n) return;
    const handles = this.#known.of(owner);
    this.#made.read(0, place);
    handles.addAgainFrom(this.#made, 0);
    this.#removals = handles.removals;
    this.#handles = handles;
  }

  /** See {@linkcode HandleWatch.returns}. A handle that was created and is still in the set need not be looked up. */
  returns(owner: bigint, place: bigint, measure: bigint, result: unknown): void {
    if (result as number < 0 || place === 0n) return;
    const handles = this.#handles;
    if (handles !== undefined && handles === this.#known.of(owner) && handles.removals === this.#removals) {
      this.#returned.read(0, place);
      if (this.#returned.equals(this.#made, 0)) {
        if (this.#made.isZero(0)) this.#handles = undefined; // the driver's NULL counts for this call alone
        return;
      }
    }
    this.#rest.returns(owner, place, measure, result);
  }

  /** See {@linkcode HandleWatch.undo}. */
  undo(args: Arguments): void {
    this.#rest.undo(args, this.#handles === undefined ? [] : [this.#made.get(0)]);
    this.#handles = undefined;
  }
}

/** The dispatchable handles that a command returns without creating them: queues and physical devices. */
export function gettingOf({ name, params }: Command): Handling | undefined {
  const last = params.length - 1, { type } = params[last];
  if (name.startsWith("vkGetDeviceQueue") && type === "VkQueue") {
    return { type, place: last, measure: last, count: () => 1, read: readFrom };
  }
  if (!name.startsWith("vkEnumeratePhysicalDevice") || params.length !== 3) return undefined;
  const listed = type === "VkPhysicalDevice" ? devicesAt : devicesInGroups;
  return {
    type: "VkPhysicalDevice",
    place: last,
    measure: last - 1,
    count: (out, count) => listed(count as bigint, out).length,
    read: (to, at, index, out, count) => to.set(at, listed(count as bigint, out)[index]),
  };
}

function devicesAt(count: bigint, out: bigint): bigint[] {
  return out === 0n ? [] : longsIn(out, peek32(count));
}

function devicesInGroups(count: bigint, out: bigint): bigint[] {
  const groups = Array.from({ length: out === 0n ? 0 : peek32(count) }, (_, index) => out + BigInt(GROUP.size * index));
  return groups.flatMap((group) => longsIn(group + BigInt(GROUP.handles), peek32(group + BigInt(GROUP.count))));
}

function longsIn(array: bigint, length: number): bigint[] {
  return Array.from({ length }, (_, index) => longIn(array, index));
}

/**
 * Destroys what the functions below created, after a hook above failed: nobody
 * will own the objects. Objects of a pool end with the pool.
 */
function undoMaking(
  layer: Layer,
  made: Command,
  type: string,
  handles: readonly bigint[],
  args: Arguments,
): void {
  const command = findCommand(type === "VkDeviceMemory" ? "vkFreeMemory" : `vkDestroy${type.slice(2)}`);
  if (!command || command.params.length > 3) return;
  const allocator = args[made.params.findIndex((each) => each.type === "VkAllocationCallbacks")] ?? 0n;
  const isScope = command.params.length === 2;
  for (const handle of handles) {
    if (handle === 0n || !(isScope ? isDispatchable(handle) : knowsHandle(layer, peek64(args[0]), type, handle))) {
      continue;
    }
    const below = viewOf(layer, isScope ? handle : args[0])?.below(layer) as Record<string, NativeCall> | undefined;
    if (!below) continue; // the layer has left the chain
    const destroy = below[command.name];
    if (isScope) destroy(handle, allocator);
    else destroy(args[0], handle, allocator);
  }
}
