import type { VkAllocationCallbacks } from "../gen/types_core_gen.ts";
import { structAt } from "../codec/struct_at.ts";

/**
 * Copies the callbacks with which an object is created, so that the library can
 * destroy the object in place of its creator. The caller's struct may be gone
 * when the command returns. Returns `undefined` for NULL.
 */
export function keptAllocator(allocator: bigint): VkAllocationCallbacks | undefined {
  return allocator === 0n ? undefined : structAt("VkAllocationCallbacks", allocator) as VkAllocationCallbacks;
}
