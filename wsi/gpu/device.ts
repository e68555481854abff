import { VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT } from "../../loader/gen/enums_core_gen.ts";
import type { Vulkan } from "../../loader/mod.ts";
import type {
  VkDevice,
  VkInstance,
  VkPhysicalDevice,
  VkPhysicalDeviceProperties,
  VkQueue,
} from "../../loader/types.ts";
import { versionText, VK_API_VERSION_MINOR, VK_MAKE_API_VERSION } from "../../loader/version.ts";
import { type GpuRequirements, Unmet } from "./requirements.ts";

/** Why a driver is of no use that this machine has no device for. */
export const NO_DEVICE = "has no device";

const GRAPHICS_AND_COMPUTE = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;

/** An instance and a device with one queue. */
export interface OpenedDevice {
  /** The loader. */
  readonly vulkan: Vulkan;
  /** The instance. */
  readonly instance: VkInstance;
  /** The physical device. */
  readonly physicalDevice: VkPhysicalDevice;
  /** Its properties. */
  readonly properties: VkPhysicalDeviceProperties;
  /** A device with one queue. */
  readonly device: VkDevice;
  /** The queue: it draws and computes. */
  readonly queue: VkQueue;
  /** The family of the queue. */
  readonly queueFamilyIndex: number;
  /** How many bits of its timestamps count; 0 where it has none. */
  readonly timestampBits: number;
}

/**
 * Makes an instance and a device that has what is required.
 *
 * @param name The application's name in VkApplicationInfo.
 * @throws {Unmet} where there is no such device. Nothing stays behind then.
 */
export function openDevice(vulkan: Vulkan, wanted: GpuRequirements, name = "openGpu"): OpenedDevice {
  using made = new DisposableStack();
  const instance = made.use(makeInstance(vulkan, wanted, name)), physicalDevice = choose(instance, wanted);
  const properties = physicalDevice.vkGetPhysicalDeviceProperties();
  checkDevice(physicalDevice, properties, wanted);
  const families = physicalDevice.vkGetPhysicalDeviceQueueFamilyProperties();
  const queueFamilyIndex = families.findIndex(({ queueFlags }) =>
    (queueFlags & GRAPHICS_AND_COMPUTE) === GRAPHICS_AND_COMPUTE
  );
  if (queueFamilyIndex < 0) throw new Unmet("has no queue that draws and computes");
  const device = physicalDevice.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: [...wanted.extensions ?? []],
    pEnabledFeatures: wanted.features,
    pNext: wanted.pNext,
  });
  made.move(); // the caller's from here on
  const queue = device.vkGetDeviceQueue(queueFamilyIndex, 0);
  const timestampBits = families[queueFamilyIndex].timestampValidBits;
  return { vulkan, instance, physicalDevice, properties, device, queue, queueFamilyIndex, timestampBits };
}

function choose(instance: VkInstance, { device = 0 }: GpuRequirements): VkPhysicalDevice {
  const gpus = instance.vkEnumeratePhysicalDevices();
  if (gpus[device]) return gpus[device];
  throw new Unmet(gpus.length === 0 ? NO_DEVICE : `has ${gpus.length} devices only`);
}

/** The instance has the newest version there is: the device says which version can be used. */
function makeInstance(vulkan: Vulkan, { instanceExtensions = [] }: GpuRequirements, name: string): VkInstance {
  const offered = vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName);
  const missing = instanceExtensions.find((name) => !offered.includes(name));
  if (missing) throw new Unmet(`lacks ${missing}`);
  return vulkan.vkCreateInstance({
    pApplicationInfo: { pApplicationName: name, apiVersion: vulkan.vkEnumerateInstanceVersion() },
    ppEnabledExtensionNames: [...instanceExtensions],
  });
}

function checkDevice(
  gpu: VkPhysicalDevice,
  { apiVersion }: VkPhysicalDeviceProperties,
  { apiVersion: needed = VK_MAKE_API_VERSION(0, 1, 0, 0), extensions = [], features = {} }: GpuRequirements,
): void {
  if (apiVersion < needed) {
    throw new Unmet(`is of Vulkan ${versionText(apiVersion)}, not 1.${VK_API_VERSION_MINOR(needed)}`);
  }
  const offered = gpu.vkEnumerateDeviceExtensionProperties(null).map(({ extensionName }) => extensionName);
  const extension = extensions.find((name) => !offered.includes(name));
  if (extension) throw new Unmet(`lacks ${extension}`);
  const has = gpu.vkGetPhysicalDeviceFeatures() as unknown as Record<string, boolean>;
  const feature = Object.entries(features).find(([name, wanted]) => wanted && !has[name]);
  if (feature) throw new Unmet(`lacks the feature ${feature[0]}`);
}
