/**
 * A loader with layers over a driver in TypeScript.
 *
 * @module
 */
import type { VkDevice, VkInstance, VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import { defineDriver, type DriverSpec, type ScriptedDriver } from "../../../../loader/drivers.ts";
import { type Layer, loadVulkan } from "../../../../loader/mod.ts";
import { VK_MAKE_API_VERSION } from "../../../../loader/version.ts";

/** The tools of a test of a layer. */
export interface Scripted {
  /** The driver. */
  readonly driver: ScriptedDriver;
  /** An instance above it. */
  readonly instance: VkInstance;
  /** The first physical device. */
  readonly gpu: VkPhysicalDevice;
  /** A device of that. */
  readonly device: VkDevice;
}

/**
 * Makes a device of a driver in TypeScript, with all the extensions its
 * physical device lists, layers above, and hands it over; closes everything
 * afterwards.
 */
export function withScripted(layers: Layer[], use: (scripted: Scripted) => void, spec: Partial<DriverSpec> = {}): void {
  using driver = defineDriver({ name: "below the layer", ...spec });
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_MAKE_API_VERSION(0, 1, 3, 0) } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: driver.physicalDevices[0].extensions as string[] ?? [],
  });
  use({ driver, instance, gpu, device });
}
