import { LongList } from "../../../ffi/long_at.ts";
import { peek64 } from "../../../ffi/machine.ts";
import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { destroyingOf, handlesOf, isScope } from "../object_pairs.ts";
import { DestroyedHandles } from "./destroyed.ts";
import { forgetAll, forgetPooled, KnownHandles } from "./known_handles.ts";
import type { HandleWatch } from "./watch.ts";

/** What all layers have passed on. */
const destroyed = new DestroyedHandles();

/** The watch over objects that a command destroys, so that a layer forgets their handles; `undefined` where it destroys none. */
export function goneWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const destroying = destroyingOf(command.name);
  if (!destroying) return undefined;
  const { type, place, measure, byValue, count, read } = destroying;
  const known = new KnownHandles(layer, type), one = new LongList();
  const isWhole = isScope(type), isPool = type.endsWith("Pool");
  return {
    place,
    measure,
    destroyed,
    // Destroying cannot fail: whoever calls it has nothing left to try again with.
    owes: (args, began) => !handlesOf(destroying, args).some((each) => destroyed.hasSince(began, each)),
    before(owner, place, measure) {
      if (owner === 0n) return;
      const handles = isWhole ? undefined : known.of(owner);
      for (let index = 0, end = count(place, measure); index < end; index++) {
        if (!byValue) read(one, 0, index, place, measure);
        const each = byValue ? place : one.get(0);
        destroyed.note(each);
        handles?.delete(each);
      }
      if (isWhole) forgetAll(layer, peek64(owner));
      if (isPool) forgetPooled(layer, peek64(owner), type);
    },
  };
}
