import { invoke } from "../../../ffi/machine.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";

/** The vkDestroyInstance of all instances. Another thread's call goes straight to the driver. */
export function destroyInstanceProc(level: AndroidLevel, { handle }: AndroidInstance): bigint {
  const next = level.side.proc(handle, "vkDestroyInstance");
  return level.side.thunk("vkDestroyInstance", (instance: bigint, allocator: bigint) => {
    forgetInstance(level, instance);
    invoke(next, "v:qq", [instance, allocator]);
  }, { next });
}

/** The vkDestroyDevice of all devices, likewise. */
export function destroyDeviceProc(level: AndroidLevel, instance: bigint): bigint {
  const next = level.side.proc(instance, "vkDestroyDevice");
  if (next === 0n) return 0n;
  return level.side.thunk("vkDestroyDevice", (device: bigint, allocator: bigint) => {
    level.devices.delete(device);
    invoke(next, "v:qq", [device, allocator]);
  }, { next });
}

/** AOSP forgets the callbacks that are left, and what the driver made for them stays behind. */
function forgetInstance(level: AndroidLevel, handle: bigint): void {
  const instance = level.instances.get(handle);
  if (!instance) return;
  if (level.options.quirks !== "aosp") instance.reports.clear();
  for (const device of [...level.devices.values()]) {
    if (device.instance === instance) level.devices.delete(device.handle);
  }
  level.instances.delete(handle);
}
