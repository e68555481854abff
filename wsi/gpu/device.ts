import { VK_API_VERSION_1_3 } from "../../loader/gen/enums_core_gen.js";
import type { Vulkan } from "../../loader/mod.ts";
import type {
  VkDevice,
  VkInstance,
  VkPhysicalDevice,
  VkPhysicalDeviceProperties,
  VkQueue,
} from "../../loader/types.ts";
import { chooseDevice } from "./choice.ts";
import { deviceFacts, instanceExtensions, newestInstance } from "./facts.ts";
import { DRAWS_AND_COMPUTES, type GpuRequirements, Unmet } from "./requirements.ts";

/** An instance and a device with one queue. */
export interface OpenedDevice {
  /** The loader. */
  readonly vulkan: Vulkan;
  /** The instance. */
  readonly instance: VkInstance;
  /** The physical device. */
  readonly physicalDevice: VkPhysicalDevice;
  /** The properties of the physical device. */
  readonly properties: VkPhysicalDeviceProperties;
  /** A device with one queue. */
  readonly device: VkDevice;
  /** The queue, which supports drawing and computing unless other flags were required. */
  readonly queue: VkQueue;
  /** The family of the queue. */
  readonly queueFamilyIndex: number;
  /** The number of valid bits of the queue's timestamps; 0 for a queue without timestamps. */
  readonly timestampBits: number;
}

/**
 * Makes an instance, and a device that meets the requirements.
 *
 * @param name The application's name in VkApplicationInfo.
 * @throws {Unmet} where there is no such device. Nothing stays behind then.
 */
export function openDevice(vulkan: Vulkan, wanted: GpuRequirements, name = "openGpu"): OpenedDevice {
  const extensions = instanceExtensions(vulkan);
  using made = new DisposableStack();
  const instance = made.use(newestInstance(vulkan, {
    pApplicationInfo: { pApplicationName: name, apiVersion: Math.max(wanted.apiVersion ?? 0, VK_API_VERSION_1_3) },
    ppEnabledExtensionNames: wanted.instanceExtensions?.filter((each) => extensions.includes(each)),
  }));
  const gpus = instance.vkEnumeratePhysicalDevices();
  const chosen = chooseDevice({ instanceExtensions: extensions, devices: gpus.map(deviceFacts) }, wanted);
  if (typeof chosen === "string") throw new Unmet(chosen);
  const opened = makeDevice(gpus[chosen], wanted);
  made.move(); // from here on the caller owns both
  return { vulkan, instance, ...opened };
}

function makeDevice(
  physicalDevice: VkPhysicalDevice,
  { extensions = [], features, pNext, device: criteria }: GpuRequirements,
): Omit<OpenedDevice, "vulkan" | "instance"> {
  const { queueFlags: flags = DRAWS_AND_COMPUTES } = typeof criteria === "object" ? criteria : {};
  const families = physicalDevice.vkGetPhysicalDeviceQueueFamilyProperties();
  const queueFamilyIndex = families.findIndex(({ queueFlags }) => (queueFlags & flags) === flags);
  const device = physicalDevice.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: [...extensions],
    pEnabledFeatures: features,
    pNext,
  });
  const queue = device.vkGetDeviceQueue(queueFamilyIndex, 0);
  const properties = physicalDevice.vkGetPhysicalDeviceProperties();
  const { timestampValidBits: timestampBits } = families[queueFamilyIndex];
  return { physicalDevice, properties, device, queue, queueFamilyIndex, timestampBits };
}
