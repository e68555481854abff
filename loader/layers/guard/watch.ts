import { generatedMaker, mayGenerate, ownMark } from "../../../ffi/generated_code.ts";
import type { NativeCall } from "../../command/compile.ts";
import type { Command } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import { isScope, makingOf } from "../define/object_pairs.ts";
import { endingOf, goneWatch } from "./gone.ts";
import type { HandleWatch } from "./handle_watch.ts";
import { pooledType } from "./known_handles.ts";
import { madeWatch } from "./made.ts";

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

function makesWhatGoes({ commands }: Layer, { name }: Command): boolean {
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
