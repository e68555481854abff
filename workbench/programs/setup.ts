import {
  VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_QUEUE_TRANSFER_BIT,
} from "../../loader/gen/enums_core_gen.js";
import type { FuzzFacts } from "./facts.ts";
import { MEMORY_TYPES } from "./memory.ts";
import { DEVICE, QUEUE, type Writer } from "./writer.ts";

const INSTANCE = "VkInstance#1", GPU = "VkPhysicalDevice#1";
const QUEUE_FLAGS = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
const NEWER: readonly string[] = ["dynamicRendering", "synchronization2"];

/** Writes the creation of an instance, a device and a queue, and what a replay wants to know of the device. */
export function setUp(writer: Writer, { apiVersion, features }: FuzzFacts): void {
  const pCreateInfo = { pApplicationInfo: { pApplicationName: "fuzz", apiVersion } };
  writer.call("vkCreateInstance", { pCreateInfo }, { pInstance: INSTANCE });
  const pMemoryProperties = {
    memoryTypes: MEMORY_TYPES,
    memoryHeaps: [{ size: 2 ** 30, flags: VK_MEMORY_HEAP_DEVICE_LOCAL_BIT }],
  };
  writer.call("vkGetPhysicalDeviceMemoryProperties", { physicalDevice: GPU }, { pMemoryProperties });
  const pQueueFamilyProperties = [{ queueFlags: QUEUE_FLAGS, queueCount: 1 }];
  writer.call("vkGetPhysicalDeviceQueueFamilyProperties", { physicalDevice: GPU }, { pQueueFamilyProperties });
  const newer = features.filter((name) => NEWER.includes(name)).map((name) => [name, true]);
  const core = features.filter((name) => !NEWER.includes(name)).map((name) => [name, true]);
  writer.call("vkCreateDevice", {
    physicalDevice: GPU,
    pCreateInfo: {
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      pEnabledFeatures: Object.fromEntries(core),
      ...newer.length > 0 &&
        { pNext: [{ sType: "VkPhysicalDeviceVulkan13Features", ...Object.fromEntries(newer) }] },
    },
  }, { pDevice: DEVICE });
  writer.call("vkGetDeviceQueue", { device: DEVICE, queueFamilyIndex: 0, queueIndex: 0 }, { pQueue: QUEUE });
}

/** Writes the destruction of the device and the instance. */
export function tearDown(writer: Writer): void {
  writer.call("vkDestroyDevice", { device: DEVICE });
  writer.call("vkDestroyInstance", { instance: INSTANCE });
}
