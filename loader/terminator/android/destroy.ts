import { invokeAddress } from "../../../ffi/machine.ts";
import { DEBUG_REPORT } from "./instance_extensions.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";

/**
 * The vkDestroyInstance of instances that may have debug_report callbacks left,
 * which AOSP forgets. All others have the driver's own, so that native code may
 * destroy them on any thread, even where no TypeScript can run.
 */
export function destroyInstanceProc(level: AndroidLevel, { handle, hooks }: AndroidInstance): bigint | undefined {
  if (!hooks.has(DEBUG_REPORT) || level.options.quirks === "aosp") return undefined;
  const next = level.side.proc(handle, "vkDestroyInstance");
  return level.side.thunk("vkDestroyInstance", (instance: bigint, allocator: bigint) => {
    level.instances.get(instance)?.reports.clear();
    invokeAddress(next, "v:qq", [instance, allocator]);
  }, { next });
}
