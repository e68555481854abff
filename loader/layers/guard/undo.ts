import { peek64 } from "../../../ffi/machine.ts";
import type { NativeCall } from "../../command/compile.ts";
import { type Command, findCommand } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import { viewOf } from "../hooks/chain_view.ts";
import { isDispatchable, knowsHandle } from "./known_handles.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * Destroys what the functions below created, after a hook above failed: nobody
 * will own the objects. Objects of a pool end with the pool.
 */
export function undoMaking(
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
