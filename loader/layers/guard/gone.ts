import { peek64 } from "../../../ffi/machine.ts";
import type { Command } from "../../command/table.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { destroyingOf, isScope, makingOf } from "../object_pairs.ts";
import { forgetAll, forgetHandles } from "./known_handles.ts";
import type { HandleWatch } from "./watch.ts";

/** How many destructions were passed on, how many had been when each running hook of one began, and which was each handle's last. */
let passed = 0;
const begun: number[] = [];
const ended = new Map<bigint, number>();

/** The watch over objects that a command destroys, so that a layer forgets their handles; `undefined` where it destroys none. */
export function goneWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const destroying = destroyingOf(command.name);
  if (!destroying) return undefined;
  const { type, handles } = destroying;
  return {
    begin: () => void begun.push(passed),
    end() {
      begun.pop();
      if (begun.length === 0) ended.clear();
    },
    // Destroying cannot fail: whoever calls it has nothing left to try again with.
    owes: (args) => !handles(args).some((handle) => (ended.get(handle) ?? 0) > begun.at(-1)!),
    before(args) {
      if (args[0] === 0n) return;
      passed++;
      for (const handle of handles(args)) ended.set(handle, passed);
      const key = peek64(args[0]);
      if (isScope(type)) forgetAll(layer, key);
      else forgetHandles(layer, key, type, handles(args));
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
