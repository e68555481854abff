import { invoke, peek64 } from "../../ffi/machine.ts";

/** VkAllocationCallbacks: where its members are. */
const USER_DATA = 0n, ALLOCATION = 8n, FREE = 24n;
/** VkSystemAllocationScope of the objects that have one of their own; all others are VK_SYSTEM_ALLOCATION_SCOPE_OBJECT. */
const SCOPES: Readonly<Record<string, number>> = { VkPipelineCache: 2, VkDevice: 3, VkInstance: 4 };
const SCOPE_OBJECT = 1;

/** Asks an application's VkAllocationCallbacks for memory for an object; 0n when it has none. */
export function allocateThrough(callbacks: bigint, type: string, size: number): bigint {
  const values = [peek64(callbacks + USER_DATA), BigInt(size), 8n, SCOPES[type] ?? SCOPE_OBJECT];
  // void *pfnAllocation(void *pUserData, size_t size, size_t alignment, VkSystemAllocationScope allocationScope)
  return invoke(peek64(callbacks + ALLOCATION), "q:qqqs", values) as bigint;
}

/** Gives memory back. */
export function freeThrough(callbacks: bigint, memory: bigint): void {
  // void pfnFree(void *pUserData, void *pMemory)
  invoke(peek64(callbacks + FREE), "v:qq", [peek64(callbacks + USER_DATA), memory]);
}
