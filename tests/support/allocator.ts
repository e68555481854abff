import { libcAddress } from "../../ffi/libc.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import { createThunk } from "../../ffi/thunk/thunk.ts";
import type { VkAllocationCallbacks } from "../../loader/types.ts";

/** VkAllocationCallbacks over the C library's allocator that keep count. */
export interface CountingAllocator extends Disposable {
  /** The struct for commands that take one. */
  readonly callbacks: VkAllocationCallbacks;
  /** The number of allocations that were asked for so far, reallocations included. */
  readonly calls: number;
  /** The number of allocations that are not freed. */
  readonly live: number;
  /** The number of the call, from 0, from which on every allocation fails. Default: none. */
  failAt: number;
}

/** Makes an allocator that counts, and fails when it is told to. */
export function countingAllocator(): CountingAllocator {
  const thunks = new DisposableStack(), live = new Map<bigint, bigint>();
  const counts = { calls: 0, failAt: Infinity };
  const address = (...thunk: Parameters<typeof createThunk>) => thunks.adopt(createThunk(...thunk), free).address;
  const allocate = (size: bigint, alignment: bigint) => {
    const memory = counts.calls++ >= counts.failAt ? 0n : alignedAlloc(size, alignment);
    if (memory !== 0n) live.set(memory, size);
    return memory;
  };
  const release = (memory: bigint) => {
    if (memory !== 0n && !live.delete(memory)) {
      throw new RangeError(`freed 0x${memory.toString(16)}, which is not live`);
    }
    invokeAddress(libcAddress("free"), "v:q", [memory]);
  };
  const callbacks: VkAllocationCallbacks = {
    // void *(void *pUserData, size_t size, size_t alignment, VkSystemAllocationScope)
    pfnAllocation: address("q:qqqs", (_user, size, alignment) => allocate(size as bigint, alignment as bigint)),
    // void *(void *pUserData, void *pOriginal, size_t size, size_t alignment, VkSystemAllocationScope)
    pfnReallocation: address("q:qqqqs", (_user, original, size, alignment) => {
      const old = original as bigint, memory = size === 0n ? 0n : allocate(size as bigint, alignment as bigint);
      if (memory !== 0n && old !== 0n) copyBytes(memory, old, [live.get(old)!, size as bigint]);
      if (memory !== 0n || size === 0n) release(old);
      return memory;
    }),
    // void (void *pUserData, void *pMemory)
    pfnFree: address("v:qq", (_user, memory) => release(memory as bigint)),
  };
  return {
    callbacks,
    get calls() {
      return counts.calls;
    },
    get live() {
      return live.size;
    },
    get failAt() {
      return counts.failAt;
    },
    set failAt(call: number) {
      counts.failAt = call;
    },
    [Symbol.dispose]: () => thunks.dispose(),
  };
}

function alignedAlloc(size: bigint, alignment: bigint): bigint {
  const aligned = alignment < 8n ? 8n : alignment, rounded = (size + aligned - 1n) / aligned * aligned;
  return invokeAddress(libcAddress("aligned_alloc"), "q:qq", [aligned, rounded]) as bigint;
}

function copyBytes(to: bigint, from: bigint, sizes: [bigint, bigint]): void {
  invokeAddress(libcAddress("memcpy"), "q:qqq", [to, from, sizes[0] < sizes[1] ? sizes[0] : sizes[1]]);
}

function free(thunk: { free(): void }): void {
  thunk.free();
}
