import type { VkPhysicalDevice } from "../types.ts";
import { type JsonObject, structJson } from "./json_value.ts";

/** VkExternalFenceHandleTypeFlagBits: opaque fd, the two of Windows, sync fd. */
const FENCE_BITS = 4;
/** VkExternalSemaphoreHandleTypeFlagBits: the same with Direct3D 12's before the last. */
const SEMAPHORE_BITS = 5;

/** The kinds of handles that fences can be exported to or imported from, with how: pairs by bit. */
export function externalFencePairs(gpu: VkPhysicalDevice): [number, JsonObject][] {
  return pairs(
    FENCE_BITS,
    (handleType) =>
      structJson("VkExternalFenceProperties", gpu.vkGetPhysicalDeviceExternalFenceProperties({ handleType })),
  );
}

/** Likewise those of semaphores. */
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
