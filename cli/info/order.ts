import { loadVulkan, type VulkanOptions } from "../../loader/mod.ts";
import type { JsonObject } from "../../loader/vkjson/json_value.ts";
import type { VkjsonInstance } from "../../loader/vkjson/vkjson.ts";

/** The facts of a device that are the same through every loader. */
interface Named {
  readonly vendorID: number;
  readonly deviceID: number;
  readonly driverVersion: number;
  readonly deviceType: number;
  readonly deviceName: string;
}

/**
 * Puts the devices of several drivers into the order in which the drivers are named; a loader has an order of its own.
 * Returns for each place the index that its device had.
 */
export function namedOrder({ devices }: VkjsonInstance, drivers: readonly string[], options: VulkanOptions): number[] {
  const left = devices.map((_, index) => index), order: number[] = [];
  for (const named of drivers.flatMap((driver) => devicesOf(driver, options))) {
    const at = left.findIndex((index) => keyOf(devices[index].properties as unknown as Named) === keyOf(named));
    if (at >= 0) order.push(...left.splice(at, 1));
  }
  return [...order, ...left];
}

/** The same report with its devices in another order; groups name their devices by index. */
export function reordered(report: VkjsonInstance, order: readonly number[]): VkjsonInstance {
  const { devices, deviceGroups } = report;
  const groups = deviceGroups?.map((group: JsonObject) => ({
    ...group,
    devices: (group.devices as number[]).map((index) => order.indexOf(index)),
  }));
  return { ...report, devices: order.map((index) => devices[index]), ...groups ? { deviceGroups: groups } : {} };
}

function devicesOf(driver: string, options: VulkanOptions): readonly Named[] {
  using vulkan = loadVulkan({ ...options, driver, platform: "linux" });
  using instance = vulkan.vkCreateInstance({});
  return instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties());
}

function keyOf({ vendorID, deviceID, driverVersion, deviceType, deviceName }: Named): string {
  return [vendorID, deviceID, driverVersion, deviceType, deviceName].join(":");
}
