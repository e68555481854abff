import { arena } from "../../../../ffi/arena.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { invokeAddress, peek64 } from "../../../../ffi/machine.ts";
import { defineLayer } from "../../../../loader/mod.ts";
import type { Layer } from "../../../../loader/layer.ts";

/** VkMemoryAllocateInfo.allocationSize. */
const SIZE = 16n, WHOLE_SIZE = 2n ** 64n - 1n;

/** A layer whose memory has something in it when it is allocated: each byte is of one value. */
export function staleMemory(value: number): Layer {
  const memset = libcAddress("memset");
  return defineLayer({
    name: "VK_LAYER_TEST_stale_memory",
    commands: {
      vkAllocateMemory(next, device, info, allocator, out) {
        const result = next(device, info, allocator, out), memory = peek64(out), room = arena();
        const pointer = room.address(room.alloc(8)), { vkMapMemory, vkUnmapMemory } = this.below(device);
        if (result !== 0 || vkMapMemory(device, memory, 0n, WHOLE_SIZE, 0, pointer) !== 0) return result;
        invokeAddress(memset, "q:qsq", [peek64(pointer), value, peek64(info + SIZE)]); // void *memset(void *, int, size_t)
        vkUnmapMemory(device, memory);
        return result;
      },
    },
  });
}
