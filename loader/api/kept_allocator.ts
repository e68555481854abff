import type { VkAllocationCallbacks } from "../gen/types_core_gen.ts";
import { structAt } from "../codec/struct_at.ts";

/**
 * A copy of the callbacks that an object is made with, for whoever destroys the object in its maker's place: the struct
 * is the maker's, and may be gone when the command that got it returns. `undefined` for NULL.
 */
export function keptAllocator(allocator: bigint): VkAllocationCallbacks | undefined {
  return allocator === 0n ? undefined : structAt("VkAllocationCallbacks", allocator) as VkAllocationCallbacks;
}
