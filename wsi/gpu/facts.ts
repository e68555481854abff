import { VulkanError } from "../../loader/error.ts";
import { VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT } from "../../loader/gen/enums_core_gen.js";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../../loader/gen/native_gen.ts";
import type { Vulkan } from "../../loader/mod.ts";
import type { VkInstance, VkInstanceCreateInfo, VkPhysicalDevice } from "../../loader/types.ts";
import { versionText, VK_API_VERSION_MINOR, VK_MAKE_API_VERSION } from "../../loader/version.ts";
import type { GpuRequirements } from "./requirements.ts";

/** The reason for skipping a driver that has no device on this machine. */
export const NO_DEVICE = "has no device";

const GRAPHICS_AND_COMPUTE = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
const VULKAN_1_0 = VK_MAKE_API_VERSION(0, 1, 0, 0);

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
  /** Whether a queue family supports drawing and computing. */
  readonly drawsAndComputes: boolean;
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
  return {
    apiVersion: gpu.vkGetPhysicalDeviceProperties().apiVersion,
    extensions: gpu.vkEnumerateDeviceExtensionProperties(null).map(({ extensionName }) => extensionName),
    features: features.filter(([, has]) => has === true).map(([name]) => name),
    drawsAndComputes: queueFamilyOf(gpu) >= 0,
  };
}

/** The first queue family that supports drawing and computing; -1 if there is none. */
export function queueFamilyOf(gpu: VkPhysicalDevice): number {
  return gpu.vkGetPhysicalDeviceQueueFamilyProperties()
    .findIndex(({ queueFlags }) => (queueFlags & GRAPHICS_AND_COMPUTE) === GRAPHICS_AND_COMPUTE);
}

/**
 * The first requirement that a driver does not meet, in words that follow the driver's name; `undefined` if the driver
 * meets all.
 */
export function unmetByDriver(
  { instanceExtensions, devices }: DriverFacts,
  wanted: GpuRequirements,
): string | undefined {
  const missing = wanted.instanceExtensions?.find((name) => !instanceExtensions.includes(name));
  if (missing) return `lacks ${missing}`;
  const { device = 0 } = wanted;
  if (devices[device]) return unmetByDevice(devices[device], wanted);
  return devices.length === 0 ? NO_DEVICE : `has ${devices.length} devices only`;
}

function unmetByDevice(
  facts: DeviceFacts,
  { apiVersion = VULKAN_1_0, extensions = [], features = {} }: GpuRequirements,
): string | undefined {
  if (facts.apiVersion < apiVersion) {
    return `is of Vulkan ${versionText(facts.apiVersion)}, not 1.${VK_API_VERSION_MINOR(apiVersion)}`;
  }
  const extension = extensions.find((name) => !facts.extensions.includes(name));
  if (extension) return `lacks ${extension}`;
  const feature = Object.entries(features).find(([name, wanted]) => wanted && !facts.features.includes(name));
  if (feature) return `lacks the feature ${feature[0]}`;
  return facts.drawsAndComputes ? undefined : "has no queue that draws and computes";
}
