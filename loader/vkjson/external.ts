import type { VkPhysicalDevice } from "../types.ts";
import { type JsonObject, structJson } from "./json_value.ts";

/** Bits of VkExternalFenceHandleTypeFlagBits: opaque fd, two of Windows, sync fd. */
const FENCE_BITS = 4;
/** Bits of VkExternalSemaphoreHandleTypeFlagBits: the same with Direct3D 12's before the last. */
const SEMAPHORE_BITS = 5;

/**
 * Returns the handle types to which fences can be exported or from which they
 * can be imported, and how: pairs by bit.
 */
export function externalFencePairs(gpu: VkPhysicalDevice): [number, JsonObject][] {
  return pairs(
    FENCE_BITS,
    (handleType) =>
      structJson("VkExternalFenceProperties", gpu.vkGetPhysicalDeviceExternalFenceProperties({ handleType })),
  );
}

/** Returns the same for semaphores. */
export function externalSemaphorePairs(gpu: VkPhysicalDevice): [number, JsonObject][] {
  return pairs(
    SEMAPHORE_BITS,
    (handleType) =>
      structJson("VkExternalSemaphoreProperties", gpu.vkGetPhysicalDeviceExternalSemaphoreProperties({ handleType })),
  );
}

function pairs(bits: number, ask: (bit: number) => JsonObject): [number, JsonObject][] {
  const all = Array.from({ length: bits }, (_, index): [number, JsonObject] => [1 << index, ask(1 << index)]);
  return all.filter(([, found]) => Object.values(found).some((value) => value !== 0));
}
