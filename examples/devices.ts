/**
 * Lists the Vulkan devices of this machine.
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' examples/devices.ts
 * ```
 *
 * A line for each device says its kind, version and memory; below, a line for
 * each driver that was examined says why the driver was taken or not.
 *
 * @module
 */
import { explainText, loadVulkan } from "@pumice/gfx";
import {
  versionText,
  VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
  VK_PHYSICAL_DEVICE_TYPE_CPU,
  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
  VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
  VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
} from "@pumice/gfx/vk";

const KINDS: Record<number, string> = {
  [VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU]: "integrated GPU",
  [VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU]: "discrete GPU",
  [VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU]: "virtual GPU",
  [VK_PHYSICAL_DEVICE_TYPE_CPU]: "processor",
};
const GIBIBYTE = 2 ** 30;

using vulkan = loadVulkan();
using instance = vulkan.vkCreateInstance({});
for (const gpu of instance.vkEnumeratePhysicalDevices()) {
  const { deviceName, deviceType, apiVersion } = gpu.vkGetPhysicalDeviceProperties();
  const { memoryHeaps } = gpu.vkGetPhysicalDeviceMemoryProperties();
  const own = memoryHeaps.filter(({ flags }) => (flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) !== 0);
  const bytes = own.reduce((sum, { size }) => sum + Number(size), 0);
  const kind = KINDS[deviceType] ?? "another kind", memory = `${(bytes / GIBIBYTE).toFixed(1)} GiB`;
  console.log(`${deviceName}: ${kind}, Vulkan ${versionText(apiVersion)}, ${memory}`);
}
console.log();
console.log(explainText(vulkan.explain().filter(({ subject }) => subject === "driver")));
