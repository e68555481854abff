/**
 * Loaders over several drivers written in TypeScript.
 *
 * @module
 */
import { defineDriver, type DriverSpec, type ScriptedDriver } from "../../../../loader/drivers.ts";
import { loadVulkan, type Vulkan } from "../../../../loader/mod.ts";
import type { VulkanOptions } from "../../../../loader/mod.ts";
import type { VkInstance } from "../../../../loader/gen/types_core_gen.ts";
import type { VkSurfaceKHR, VkSwapchainCreateInfoKHR } from "../../../../loader/types.ts";
import { arena } from "../../../../ffi/arena.ts";
import { fakeHost } from "../../driver/fake_host.ts";

/** The objects that a test is handed. */
export interface Joined {
  /** The loader. */
  readonly vulkan: Vulkan;
  /** The drivers, in the order given. */
  readonly drivers: readonly ScriptedDriver[];
  /** The loader's sentences while it worked. */
  readonly said: string[];
}

/** Loads these drivers as one by Linux's rules, where only this environment holds; closes everything afterwards. */
export function withDrivers(
  specs: readonly DriverSpec[],
  use: (joined: Joined) => void,
  env: Readonly<Record<string, string>> = {},
  options: VulkanOptions = {},
): void {
  const drivers = specs.map((spec) => defineDriver(spec)), said: string[] = [];
  try {
    using vulkan = loadVulkan({
      driver: drivers,
      platform: "linux",
      host: fakeHost({ env }),
      log: (sentence) => said.push(sentence),
      ...options,
    });
    use({ vulkan, drivers, said });
  } finally {
    for (const driver of drivers) driver.close();
  }
}

/** A driver with these devices, by name. */
export function cards(name: string, ...devices: string[]): DriverSpec {
  return { name, physicalDevices: devices.map((deviceName) => ({ properties: { deviceName } })) };
}

/** The names of an instance's physical devices, in their order. */
export function deviceNames(instance: VkInstance): string[] {
  return instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
}

/** The names of the devices of each group. */
export function groupNames(instance: VkInstance, vulkanOne = true): string[][] {
  const groups = vulkanOne ? instance.vkEnumeratePhysicalDeviceGroups() : instance.vkEnumeratePhysicalDeviceGroupsKHR();
  const names = new Map(
    instance.vkEnumeratePhysicalDevices().map((gpu) => [
      gpu.handle,
      gpu.vkGetPhysicalDeviceProperties().deviceName,
    ]),
  );
  return groups.map((group) =>
    group.physicalDevices.slice(0, group.physicalDeviceCount).map((each) => names.get(each)!)
  );
}

/** vkEnumeratePhysicalDevices with room for so many: result, count, handles. */
export function enumerate(instance: VkInstance, room: number): (number | bigint)[] {
  const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(8 * room + 8);
  memory.view.setUint32(count, room, true);
  const result = instance.raw.vkEnumeratePhysicalDevices(instance.handle, memory.address(count), memory.address(out));
  const found = memory.view.getUint32(count, true);
  const handles = Array.from({ length: found }, (_, index) => memory.view.getBigUint64(out + 8 * index, true));
  memory.release(mark);
  return [result, found, ...handles];
}

/** vkEnumeratePhysicalDeviceGroups with room for so many. */
export function enumerateGroups(instance: VkInstance, room: number): { result: number; count: number } {
  const GROUP = 288, memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(GROUP * room);
  memory.view.setUint32(count, room, true);
  memory.bytes.fill(0, out, out + GROUP * room);
  const { handle, raw } = instance;
  const result = raw.vkEnumeratePhysicalDeviceGroups(handle, memory.address(count), memory.address(out));
  const found = memory.view.getUint32(count, true);
  memory.release(mark);
  return { result, count: found };
}

/** A swapchain of images of four by four. */
export function smallSwapchain(surface: VkSurfaceKHR): VkSwapchainCreateInfoKHR {
  return {
    surface,
    minImageCount: 2,
    imageFormat: 37,
    imageColorSpace: 0,
    imageExtent: { width: 4, height: 4 },
    imageArrayLayers: 1,
    imageUsage: 16,
    imageSharingMode: 0,
    preTransform: 1,
    compositeAlpha: 1,
    presentMode: 2,
    clipped: false,
  };
}
