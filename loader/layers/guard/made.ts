import { isMapped } from "../../../ffi/mapped.ts";
import { peek64, poke64 } from "../../../ffi/machine.ts";
import { DISPATCHABLE } from "../../command/kind.ts";
import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { type Handling, makingOf } from "../object_pairs.ts";
import { gettingOf } from "./gotten.ts";
import type { HandleWatch } from "./watch.ts";
import { undoMaking } from "./undo.ts";
import { isDispatchable, knowsHandle, learnHandles } from "./known_handles.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/** The watch over what a layer's hook of a command returns; `undefined` where it can return no handle and no mapping. */
export function madeWatch(layer: Layer, command: Command): HandleWatch | undefined {
  const making = makingOf(command.name), handling = making ?? gettingOf(command);
  if (!handling) return mappingWatch(layer, command);
  return handleWatch(layer, command, handling, making !== undefined);
}

function handleWatch(layer: Layer, command: Command, { type, handles }: Handling, isMaking: boolean): HandleWatch {
  const isRight = DISPATCHABLE.has(type)
    ? isDispatchable
    : (handle: bigint, args: Arguments) => knowsHandle(layer, peek64(args[0]), type, handle);
  const output = command.params.findIndex((each) => each.written && each.type === type);
  let made: readonly bigint[] = [];
  return {
    before() {
      made = [];
    },
    after(args, result) {
      if (!isSuccess(result)) return;
      made = handles(args);
      if (command.level !== "global") learnHandles(layer, peek64(args[0]), type, made);
    },
    undo(args) {
      if (output >= 0 && args[output] !== 0n) {
        handles(args).forEach((_, index) => poke64(args[output] + 8n * BigInt(index), 0n));
      }
      if (isMaking) undoMaking(layer, command, type, made, args);
    },
    check(args, result) {
      if (!isSuccess(result)) return;
      for (const handle of handles(args)) {
        if (handle === 0n ? result !== 0 && result !== undefined : isRight(handle, args)) continue;
        throw new TypeError(
          `${layer.name} returns 0x${
            handle.toString(16)
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
  return {
    check(args, result) {
      if (!isSuccess(result) || isMapped(peek64(args[index]))) return;
      const found = `0x${peek64(args[index]).toString(16)}`;
      throw new TypeError(
        `${layer.name} returns ${found} from ${command.name}, where there is no memory; return what next() gives`,
      );
    },
  };
}

function isSuccess(result: unknown): boolean {
  return result === undefined || result as number >= 0;
}
