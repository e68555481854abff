import { longAt } from "../../../ffi/long_at.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { poke64 } from "../../../ffi/machine.ts";
import { DISPATCHABLE } from "../../command/kind.ts";
import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { type Handling, isScope, makingOf } from "../object_pairs.ts";
import { gettingOf } from "./gotten.ts";
import type { HandleWatch } from "./watch.ts";
import { undoMaking } from "./undo.ts";
import { isDispatchable, KnownHandles } from "./known_handles.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/** The watch over what a layer's hook of a command returns; `undefined` where it can return no handle and no mapping. */
export function madeWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const making = makingOf(command.name), handling = making ?? gettingOf(command);
  if (!handling) return mappingWatch(layer, command);
  return handleWatch(layer, command, handling, making !== undefined);
}

function handleWatch(layer: Layer, command: Command, handling: Handling, isMaking: boolean): HandleWatch {
  const { type, count, handle } = handling,
    known = new KnownHandles(layer, type),
    isGlobal = command.level === "global";
  const isKnown = (handle: bigint, args: Arguments) => !isGlobal && known.of(args[0]).has(handle);
  const isRight = isScope(type)
    ? isDispatchable
    : DISPATCHABLE.has(type)
    ? (handle: bigint, args: Arguments) => isKnown(handle, args) || isDispatchable(handle)
    : isKnown;
  const output = command.params.findIndex((each) => each.written && each.type === type);
  const made: bigint[] = [];
  let length = 0;
  return {
    before() {
      length = 0;
    },
    after(args, result) {
      if (!isSuccess(result)) return;
      const handles = isGlobal ? undefined : known.of(args[0]);
      for (let index = 0, end = count(args); index < end; index++) {
        const each = handle(args, index);
        made[index] = each;
        length = end;
        if (each !== 0n) handles?.add(each);
      }
    },
    undo(args) {
      if (output >= 0 && args[output] !== 0n) {
        for (let index = count(args) - 1; index >= 0; index--) poke64(args[output] + 8n * BigInt(index), 0n);
      }
      if (isMaking) undoMaking(layer, command, type, made.slice(0, length), args);
    },
    returns(args, result) {
      if (!isSuccess(result)) return;
      for (let index = 0, end = count(args); index < end; index++) {
        const each = handle(args, index);
        if (each === 0n ? result !== 0 && result !== undefined : isRight(each, args)) continue;
        throw new TypeError(
          `${layer.name} returns 0x${
            each.toString(16)
          } from ${command.name}, which is no ${type} that was made below; ` +
            "return what next() gives, or say `ownHandles: true` if the layer makes handles of its own",
        );
      }
    },
  };
}

/** Commands that map memory return where it is. */
function mappingWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const index = command.params.findIndex(({ type, stars, written }) => type === "void" && stars === 2 && written);
  if (index < 0) return undefined;
  let given = 0n;
  return {
    before() {
      given = 0n;
    },
    after(args, result) {
      if (isSuccess(result)) given = longAt(args[index]);
    },
    returns(args, result) {
      if (!isSuccess(result)) return;
      const returned = longAt(args[index]);
      if (returned !== 0n && returned === given || isMapped(returned)) return;
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
