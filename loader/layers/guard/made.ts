import { peek64 } from "../../../ffi/machine.ts";
import { planOf } from "../../command/plan.ts";
import { DISPATCHABLE } from "../../command/kind.ts";
import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { type Handling, makingOf } from "../object_pairs.ts";
import { isDispatchable, knowsHandle, learnHandles } from "./known_handles.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/** How the handles are checked that a command returns. */
export interface MadeCheck {
  /** Takes note of what the command below has returned. */
  learn(args: Arguments, result: unknown): void;
  /** Throws a `TypeError` when the hook has returned others. */
  check(args: Arguments, result: unknown): void;
}

/** The check of what a layer's hook of a command returns; `undefined` where it can return no handle. */
export function madeCheck(layer: Layer, command: Command): MadeCheck | undefined {
  if (layer.ownHandles) return undefined;
  const making = makingOf(command.name) ?? gotten(command);
  if (!making) return undefined;
  const { type, handles } = making;
  const isRight = DISPATCHABLE.has(type) ? isDispatchable : (handle: bigint) => knowsHandle(layer, type, handle);
  return {
    learn(args, result) {
      if (isSuccess(result)) learnHandles(layer, type, handles(args));
    },
    check(args, result) {
      if (!isSuccess(result)) return;
      for (const handle of handles(args)) {
        if (handle === 0n ? result !== 0 && result !== undefined : isRight(handle)) continue;
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

function isSuccess(result: unknown): boolean {
  return result === undefined || result as number >= 0;
}

/** Queues are not made but got. */
function gotten(command: Command): Handling | undefined {
  const { parameters } = planOf(command), output = parameters.at(-1);
  if (command.name.startsWith("vkGetDeviceQueue") && output?.type === "VkQueue") return queueOf(parameters.length - 1);
}

function queueOf(index: number): Handling {
  return { type: "VkQueue", handles: (args) => [peek64(args[index])], pool: () => 0n };
}
