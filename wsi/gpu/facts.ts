import { VulkanError } from "../../loader/error.ts";
import { VK_MEMORY_HEAP_DEVICE_LOCAL_BIT } from "../../loader/gen/enums_core_gen.js";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../../loader/gen/native_gen.ts";
import type { Vulkan } from "../../loader/mod.ts";
import type { VkInstance, VkInstanceCreateInfo, VkPhysicalDevice } from "../../loader/types.ts";
import { VK_API_VERSION_MINOR, VK_MAKE_API_VERSION } from "../../loader/version.ts";
import { DEVICE_TYPES, type DeviceType } from "./requirements.ts";

/** The facts to which requirements are compared, as data that one process can send to another. */
export interface DriverFacts {
  /** The extensions that an instance may enable. */
  readonly instanceExtensions: readonly string[];
  /** The physical devices in the driver's order. */
  readonly devices: readonly DeviceFacts[];
}

/** The facts of a physical device. */
export interface DeviceFacts {
  /** The device's version of Vulkan, packed as VK_MAKE_API_VERSION does. */
  readonly apiVersion: number;
  /** The names of the device's extensions. */
  readonly extensions: readonly string[];
  /** The members of VkPhysicalDeviceFeatures that are true. */
  readonly features: readonly string[];
  /** The name. */
  readonly name: string;
  /** The type. */
  readonly type: DeviceType;
  /** VK_QUEUE_… bits of each queue family. */
  readonly queueFlags: readonly number[];
  /** Bytes of the largest heap of memory that is the device's own. */
  readonly memory: number;
}

/** Reads the facts of a driver. Makes an instance and destroys it. */
export function driverFacts(vulkan: Vulkan): DriverFacts {
  using instance = newestInstance(vulkan, {});
  return {
    instanceExtensions: instanceExtensions(vulkan),
    devices: instance.vkEnumeratePhysicalDevices().map(deviceFacts),
  };
}

/**
 * Makes an instance of the newest version that the drivers accept, at most the version in `pApplicationInfo` if that
 * has one. The device decides which version can be used. A driver may refuse the version of a loader with several
 * drivers: then the driver is missing beside a driver that accepts the version.
 */
export function newestInstance(vulkan: Vulkan, { pApplicationInfo, ...info }: VkInstanceCreateInfo): VkInstance {
  const newest = Math.min(vulkan.vkEnumerateInstanceVersion(), pApplicationInfo?.apiVersion ?? Infinity);
  let apiVersion = newest;
  for (let minor = VK_API_VERSION_MINOR(newest);; apiVersion = VK_MAKE_API_VERSION(0, 1, --minor, 0)) {
    try {
      return vulkan.vkCreateInstance({ ...info, pApplicationInfo: { ...pApplicationInfo, apiVersion } });
    } catch (error) {
      const isRefused = error instanceof VulkanError && error.code === VK_ERROR_INCOMPATIBLE_DRIVER;
      if (!isRefused || minor === 0) throw error;
    }
  }
}

/** The extensions that an instance may enable. */
export function instanceExtensions(vulkan: Vulkan): string[] {
  return vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName);
}

/** Reads the facts of a physical device. */
export function deviceFacts(gpu: VkPhysicalDevice): DeviceFacts {
  const features = Object.entries(gpu.vkGetPhysicalDeviceFeatures());
  const { apiVersion, deviceName, deviceType } = gpu.vkGetPhysicalDeviceProperties();
  const { memoryHeaps, memoryHeapCount } = gpu.vkGetPhysicalDeviceMemoryProperties();
  const own = memoryHeaps.slice(0, memoryHeapCount).filter(({ flags }) => flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT);
  return {
    apiVersion,
    extensions: gpu.vkEnumerateDeviceExtensionProperties(null).map(({ extensionName }) => extensionName),
    features: features.filter(([, has]) => has === true).map(([name]) => name),
    name: deviceName,
    type: DEVICE_TYPES[deviceType] ?? "other",
    queueFlags: gpu.vkGetPhysicalDeviceQueueFamilyProperties().map(({ queueFlags }) => queueFlags),
    memory: Math.max(0, ...own.map(({ size }) => Number(size))),
  };
}
