import { peek64 } from "../../../ffi/machine.ts";
import type { Command } from "../../command/table.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { destroyingOf, handlesOf, isScope, makingOf } from "../object_pairs.ts";
import { DestroyedHandles } from "./destroyed.ts";
import { forgetAll, forgetPooled, KnownHandles } from "./known_handles.ts";
import type { HandleWatch } from "./watch.ts";

/** What all layers have passed on. */
const destroyed = new DestroyedHandles();

/** The watch over objects that a command destroys, so that a layer forgets their handles; `undefined` where it destroys none. */
export function goneWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const destroying = destroyingOf(command.name);
  if (!destroying) return undefined;
  const { type, count, handle } = destroying, known = new KnownHandles(layer, type);
  const isWhole = isScope(type), isPool = type.endsWith("Pool");
  return {
    begin: () => destroyed.begin(),
    end: () => destroyed.end(),
    // Destroying cannot fail: whoever calls it has nothing left to try again with.
    owes: (args) => !handlesOf(destroying, args).some((each) => destroyed.has(each)),
    before(args) {
      const owner = args[0];
      if (owner === 0n) return;
      const handles = isWhole ? undefined : known.of(owner);
      for (let index = 0, end = count(args); index < end; index++) {
        const each = handle(args, index);
        destroyed.note(each);
        handles?.delete(each);
      }
      if (isWhole) forgetAll(layer, peek64(owner));
      if (isPool) forgetPooled(layer, peek64(owner), type);
    },
  };
}

/** What a layer does at a command that destroys what other hooks of it have made: without a hook it must know, too. */
export function forgettingHook(layer: Layer, command: Command): AnyHook | undefined {
  const type = layer.commands && destroyingOf(command.name)?.type;
  if (type === undefined) return undefined;
  const made = Object.keys(layer.commands!).map((name) => makingOf(name)?.type);
  const isConcerned = made.some((each) =>
    each === type || each !== undefined && (isScope(type) || type.endsWith("Pool"))
  );
  return isConcerned ? (next, ...args) => next(...args) : undefined;
}
