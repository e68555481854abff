import { deviceExtensions } from "./device_extensions.ts";
import { factsOf } from "./device_facts.ts";
import { readExtensionList, writeExtensionList } from "../../driver/interface/extension_list.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import type { LayerExtension } from "../../layer.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";

/** Returns the device extensions that a driver lists; a negative VkResult if the query failed. */
export function driverDeviceExtensions(
  { side }: AndroidLevel,
  instance: AndroidInstance,
  gpu: bigint,
): LayerExtension[] | number {
  const enumerate = side.proc(instance.handle, "vkEnumerateDeviceExtensionProperties");
  return readExtensionList((count, out) => invokeAddress(enumerate, "s:qqqq", [gpu, 0n, count, out]) as number);
}

function shown(level: AndroidLevel, instance: AndroidInstance, gpu: bigint): LayerExtension[] | number {
  const list = driverDeviceExtensions(level, instance, gpu);
  if (typeof list === "number") return list;
  return deviceExtensions(list, level.options, factsOf(level.side, instance.handle, gpu));
}

/** The level's vkEnumerateDeviceExtensionProperties. */
export function enumerateDeviceExtensions(
  level: AndroidLevel,
  instance: AndroidInstance,
  gpu: bigint,
  { count, out }: { count: bigint; out: bigint },
): number {
  const list = shown(level, instance, gpu);
  return typeof list === "number" ? list : writeExtensionList(list, count, out);
}

/** Whether a physical device lists VK_EXT_swapchain_maintenance1. */
export function hasMaintenance(level: AndroidLevel, instance: AndroidInstance, gpu: bigint): boolean {
  const list = shown(level, instance, gpu);
  return typeof list !== "number" &&
    list.some(({ extensionName }) => extensionName === "VK_EXT_swapchain_maintenance1");
}
