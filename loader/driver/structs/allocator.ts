import { copyMemory, invokeAddress, peek64 } from "../../../ffi/machine.ts";

/** VkAllocationCallbacks: where its members are. */
const USER_DATA = 0n, ALLOCATION = 8n, FREE = 24n;
/** Its bytes. */
const CALLBACKS = 48;
/** VkSystemAllocationScope of the objects that have one of their own; all others are VK_SYSTEM_ALLOCATION_SCOPE_OBJECT. */
const SCOPES: Readonly<Record<string, number>> = { VkPipelineCache: 2, VkDevice: 3, VkInstance: 4 };
const SCOPE_OBJECT = 1;

/** Whether an application gave callbacks: where it left out what allocates, there are none. */
export function hasCallbacks(allocator: bigint): boolean {
  return allocator !== 0n && peek64(allocator + ALLOCATION) !== 0n;
}

/** Asks an application's VkAllocationCallbacks for memory for an object; 0n when it has none. */
export function allocateThrough(callbacks: bigint, type: string, size: number): bigint {
  const values = [peek64(callbacks + USER_DATA), BigInt(size), 8n, SCOPES[type] ?? SCOPE_OBJECT];
  // void *pfnAllocation(void *pUserData, size_t size, size_t alignment, VkSystemAllocationScope allocationScope)
  return invokeAddress(peek64(callbacks + ALLOCATION), "q:qqqs", values) as bigint;
}

/** Gives memory back. */
export function freeThrough(callbacks: bigint, memory: bigint): void {
  // void pfnFree(void *pUserData, void *pMemory)
  invokeAddress(peek64(callbacks + FREE), "v:qq", [peek64(callbacks + USER_DATA), memory]);
}

/**
 * Takes what the loader keeps for an object that is made with callbacks: their copy, by which the memory can be given
 * back when nobody gives callbacks. 0n when they have no memory.
 */
export function keepCallbacks(callbacks: bigint, type: string): bigint {
  const kept = allocateThrough(callbacks, type, CALLBACKS);
  if (kept !== 0n) copyCallbacks(callbacks, kept);
  return kept;
}

/** Gives back what {@linkcode keepCallbacks} took, unless that is 0n, by callbacks or, for 0n, by those it has. */
export function giveBack(kept: bigint, callbacks: bigint): void {
  if (kept !== 0n) freeThrough(callbacks || kept, kept);
}

/** Copies the struct, which may go when the command returns that got it. */
export function copyCallbacks(callbacks: bigint, to: bigint): void {
  copyMemory(to, callbacks, CALLBACKS);
}
