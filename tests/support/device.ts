import { loadVulkan, type Vulkan } from "../../loader/mod.ts";
import type { VulkanOptions } from "../../loader/options.ts";
import type { VkDevice, VkInstance, VkPhysicalDevice } from "../../loader/gen/types_core_gen.ts";

/** A loader, an instance and a device of a driver, ready for use. */
export interface OpenDevice extends Disposable {
  /** The loader. */
  readonly vulkan: Vulkan;
  /** The instance, for Vulkan 1.3. */
  readonly instance: VkInstance;
  /** The first physical device. */
  readonly gpu: VkPhysicalDevice;
  /** A device with one queue of family 0. */
  readonly device: VkDevice;
}

const API_VERSION = 1 << 22 | 3 << 12;

/** Opens the first device of a driver; closes everything at the end of a `using` scope. */
export function openDevice(options: VulkanOptions): OpenDevice {
  const vulkan = loadVulkan(options);
  try {
    const instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: API_VERSION } });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    return { vulkan, instance, gpu, device, [Symbol.dispose]: () => vulkan.close() };
  } catch (error) {
    vulkan.close();
    throw error;
  }
}
