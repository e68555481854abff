import { libcAddress } from "../../../../ffi/libc.ts";
import { invokeAddress, peek64 } from "../../../../ffi/machine.ts";
import { defineLayer } from "../../../../loader/mod.ts";
import type { Layer } from "../../../../loader/layer.ts";

/** VkMemoryAllocateInfo.allocationSize. */
const SIZE = 16n;

/**
 * A layer that clears memory when it is mapped before the GPU has work. A driver may give out
 * memory in which an earlier program's picture still is: a recording does not
 * say of the same picture that the GPU wrote it, for nothing has changed.
 */
export function freshMemory(): Layer {
  const sizes = new Map<bigint, bigint>(), memset = libcAddress("memset");
  return defineLayer({
    name: "VK_LAYER_TEST_fresh_memory",
    commands: {
      vkAllocateMemory(next, device, info, allocator, out) {
        const result = next(device, info, allocator, out);
        if (result === 0) sizes.set(peek64(out), peek64(info + SIZE));
        return result;
      },
      vkQueueSubmit(next, ...args) {
        sizes.clear(); // the GPU may have written into memory that is mapped later
        return next(...args);
      },
      vkMapMemory(next, device, memory, offset, size, flags, out) {
        const result = next(device, memory, offset, size, flags, out), whole = sizes.get(memory);
        if (result !== 0 || whole === undefined) return result;
        sizes.delete(memory);
        invokeAddress(memset, "q:qsq", [peek64(out), 0, size < whole - offset ? size : whole - offset]); // void *memset(void *, int, size_t)
        return result;
      },
    },
  });
}
