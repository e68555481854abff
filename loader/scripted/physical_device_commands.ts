import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { fillArray, fillChain, writeStruct } from "./answer.ts";
import type { PhysicalDeviceSpec } from "./spec.ts";
import type { DriverState } from "./state.ts";
import {
  sizeOfVkQueueFamilyProperties,
  sizeOfVkQueueFamilyProperties2,
  VK_ERROR_FORMAT_NOT_SUPPORTED,
  VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_QUEUE_TRANSFER_BIT,
  VkPhysicalDeviceProperties2,
} from "../gen/native_gen.ts";

/** Offset of the older query's struct in that of every query that ends in 2. */
const INNER = VkPhysicalDeviceProperties2.properties;

const DEFAULT_FAMILY = {
  queueFlags: VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
  queueCount: 1,
  timestampValidBits: 64,
  minImageTransferGranularity: { width: 1, height: 1, depth: 1 },
};
const ALL_IN_ONE = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
/** One type of memory, from a heap of 256 MiB. */
export const DEFAULT_MEMORY = {
  memoryTypes: [{ propertyFlags: ALL_IN_ONE, heapIndex: 0 }],
  memoryHeaps: [{ size: 1n << 28n, flags: VK_MEMORY_HEAP_DEVICE_LOCAL_BIT }],
};
/** A few limits by which applications divide or without which they fail, as low as the specification allows. */
const DEFAULT_LIMITS = {
  maxImageDimension1D: 4096,
  maxImageDimension2D: 4096,
  maxImageDimension3D: 256,
  maxImageArrayLayers: 256,
  maxMemoryAllocationCount: 4096,
  bufferImageGranularity: 1n,
  nonCoherentAtomSize: 1n,
  minMemoryMapAlignment: 64n,
  timestampPeriod: 1,
};

/** Returns the structs with which a physical device answers queries, by their C names. */
export function structsOf(spec: PhysicalDeviceSpec, apiVersion: number): Readonly<Record<string, object>> {
  const { limits, ...properties } = spec.properties ?? {};
  return {
    VkPhysicalDeviceProperties: {
      apiVersion,
      deviceName: "Scripted device",
      ...properties,
      limits: { ...DEFAULT_LIMITS, ...limits },
    },
    VkPhysicalDeviceFeatures: spec.features ?? {},
    VkPhysicalDeviceMemoryProperties: spec.memoryProperties ?? DEFAULT_MEMORY,
    VkFormatProperties: {},
  };
}

/** The queue families of a physical device. */
export function familiesOf(spec: PhysicalDeviceSpec): readonly object[] {
  return spec.queueFamilies ?? [DEFAULT_FAMILY];
}

/** The queries of physical devices. No format can be used for images. */
export function physicalDeviceCommands(state: DriverState): Partial<RawCommands> {
  const specOf = (gpu: bigint) => state.objects.get(gpu)?.physicalDevice ?? {};
  const answer = (name: string, gpu: bigint, out: bigint) =>
    writeStruct(name, structsOf(specOf(gpu), state.apiVersion)[name], out);
  const answer2 = (name: string, gpu: bigint, out: bigint) => {
    answer(name, gpu, out + INNER);
    fillChain(out, specOf(gpu).chain ?? []);
  };
  const family = (each: object, to: bigint) => writeStruct("VkQueueFamilyProperties", each, to);
  return {
    vkGetPhysicalDeviceProperties: (gpu, out) => answer("VkPhysicalDeviceProperties", gpu, out),
    vkGetPhysicalDeviceProperties2: (gpu, out) => answer2("VkPhysicalDeviceProperties", gpu, out),
    vkGetPhysicalDeviceFeatures: (gpu, out) => answer("VkPhysicalDeviceFeatures", gpu, out),
    vkGetPhysicalDeviceFeatures2: (gpu, out) => answer2("VkPhysicalDeviceFeatures", gpu, out),
    vkGetPhysicalDeviceMemoryProperties: (gpu, out) => answer("VkPhysicalDeviceMemoryProperties", gpu, out),
    vkGetPhysicalDeviceMemoryProperties2: (gpu, out) => answer2("VkPhysicalDeviceMemoryProperties", gpu, out),
    vkGetPhysicalDeviceFormatProperties: (gpu, _format, out) => answer("VkFormatProperties", gpu, out),
    vkGetPhysicalDeviceFormatProperties2: (gpu, _format, out) => answer2("VkFormatProperties", gpu, out),
    vkGetPhysicalDeviceImageFormatProperties: () => VK_ERROR_FORMAT_NOT_SUPPORTED,
    vkGetPhysicalDeviceImageFormatProperties2: () => VK_ERROR_FORMAT_NOT_SUPPORTED,
    vkGetPhysicalDeviceQueueFamilyProperties(gpu, count, out) {
      fillArray(familiesOf(specOf(gpu)), count, out, sizeOfVkQueueFamilyProperties, family);
    },
    vkGetPhysicalDeviceQueueFamilyProperties2(gpu, count, out) {
      fillArray(familiesOf(specOf(gpu)), count, out, sizeOfVkQueueFamilyProperties2, (each, to) => {
        family(each, to + INNER);
        fillChain(to, specOf(gpu).chain ?? []);
      });
    },
  };
}
