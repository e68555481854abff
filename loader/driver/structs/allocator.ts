import { copyMemory, invokeAddress, peek64, poke64 } from "../../../ffi/machine.ts";
import type { VkAllocationCallbacks as Callbacks } from "../../gen/types_core_gen.ts";
import { structAt } from "../../codec/codec.ts";
import {
  sizeOfVkAllocationCallbacks,
  VK_SYSTEM_ALLOCATION_SCOPE_CACHE,
  VK_SYSTEM_ALLOCATION_SCOPE_DEVICE,
  VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE,
  VK_SYSTEM_ALLOCATION_SCOPE_OBJECT,
  VkAllocationCallbacks,
} from "../../gen/native_gen.ts";

const CALLBACKS = sizeOfVkAllocationCallbacks;
/**
 * The block that {@linkcode keepCallbacks} allocates: a copy of the callbacks, and the address of another such block or
 * 0.
 */
const KEPT = { next: BigInt(CALLBACKS), size: CALLBACKS + 8 };
/** The objects with a scope of their own. All others have VK_SYSTEM_ALLOCATION_SCOPE_OBJECT. */
const SCOPES: Readonly<Record<string, number>> = {
  VkPipelineCache: VK_SYSTEM_ALLOCATION_SCOPE_CACHE,
  VkDevice: VK_SYSTEM_ALLOCATION_SCOPE_DEVICE,
  VkInstance: VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE,
};

/** Whether an application gave callbacks. Without an allocation function there are none. */
export function hasCallbacks(allocator: bigint): boolean {
  return allocator !== 0n && peek64(allocator + VkAllocationCallbacks.pfnAllocation) !== 0n;
}

/** Allocates memory for an object with an application's VkAllocationCallbacks; 0n if they are out of memory. */
export function allocateThrough(callbacks: bigint, type: string, size: number): bigint {
  const values = [
    peek64(callbacks + VkAllocationCallbacks.pUserData),
    BigInt(size),
    8n,
    SCOPES[type] ?? VK_SYSTEM_ALLOCATION_SCOPE_OBJECT,
  ];
  // void *pfnAllocation(void *pUserData, size_t size, size_t alignment, VkSystemAllocationScope allocationScope)
  return invokeAddress(peek64(callbacks + VkAllocationCallbacks.pfnAllocation), "q:qqqs", values) as bigint;
}

/** Frees memory. */
export function freeThrough(callbacks: bigint, memory: bigint): void {
  // void pfnFree(void *pUserData, void *pMemory)
  invokeAddress(peek64(callbacks + VkAllocationCallbacks.pfnFree), "v:qq", [
    peek64(callbacks + VkAllocationCallbacks.pUserData),
    memory,
  ]);
}

/**
 * Allocates the loader's data about an object with callbacks: a copy of the
 * callbacks, which can free the memory if the destroying command gets none. 0n
 * if they are out of memory.
 */
export function keepCallbacks(callbacks: bigint, type: string): bigint {
  const kept = allocateThrough(callbacks, type, KEPT.size);
  if (kept === 0n) return kept;
  copyCallbacks(callbacks, kept);
  poke64(kept + KEPT.next, 0n);
  return kept;
}

/** Appends memory of {@linkcode keepCallbacks} to the list whose first block is at an address. */
export function appendKept(first: bigint, kept: bigint): void {
  let at = first;
  while (peek64(at) !== 0n) at = peek64(at) + KEPT.next;
  poke64(at, kept);
}

/** Puts memory of {@linkcode keepCallbacks} in front of the list whose first block is at an address. */
export function prependKept(first: bigint, kept: bigint): void {
  poke64(kept + KEPT.next, peek64(first));
  poke64(first, kept);
}

/** Takes memory out of such a list, if the list holds the memory. */
export function removeKept(first: bigint, kept: bigint): void {
  for (let at = first; peek64(at) !== 0n; at = peek64(at) + KEPT.next) {
    if (peek64(at) !== kept) continue;
    poke64(at, peek64(kept + KEPT.next));
    return;
  }
}

/**
 * Frees all memory of such a list: the last block, which is the object's own, as {@linkcode giveBack} does, the others
 * by their own callbacks.
 */
export function giveBackAll(first: bigint, callbacks: bigint): void {
  for (let kept = peek64(first); kept !== 0n;) {
    const next = peek64(kept + KEPT.next);
    giveBack(kept, next === 0n ? callbacks : 0n);
    kept = next;
  }
}

/**
 * Frees the memory of {@linkcode keepCallbacks}, unless it is 0n: with these
 * callbacks or, for 0n, with the stored copy.
 */
export function giveBack(kept: bigint, callbacks: bigint): void {
  if (kept !== 0n) freeThrough(callbacks || kept, kept);
}

/** Copies the struct, which may be gone after the command that got it. */
export function copyCallbacks(callbacks: bigint, to: bigint): void {
  copyMemory(to, callbacks, CALLBACKS);
}

/**
 * Copies the callbacks with which an object is created, so that the library can
 * destroy the object in place of its creator. The caller's struct may be gone
 * when the command returns. Returns `undefined` if there are none.
 */
export function keptAllocator(allocator: bigint): Callbacks | undefined {
  if (!hasCallbacks(allocator)) return undefined;
  return structAt("VkAllocationCallbacks", allocator) as unknown as Callbacks;
}
