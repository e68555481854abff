import { inFrame } from "../../../../ffi/arena.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { invokeAddress, poke32 } from "../../../../ffi/machine.ts";
import type { Layer } from "../../../../loader/layer.ts";
import { defineLayer } from "../../../../loader/mod.ts";
import { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT } from "../../../../loader/vk.ts";
import { VK_WHOLE_SIZE } from "../../../../loader/gen/enums_core_gen.js";

/** VkMemoryAllocateInfo.memoryTypeIndex, VkMemoryRequirements.memoryTypeBits, VkPhysicalDeviceMemoryProperties.memoryTypes. */
const INDEX = 24n, BITS = 16n, TYPES = 4n;

/**
 * A layer for a driver with one memory type: there are two types of the same
 * memory, of which the host cannot see the first. Memory of the first type is
 * full of a byte at first, as memory of a device is that had other contents.
 */
export function hiddenMemory(byte: number): Layer {
  const memset = libcAddress("memset");
  return defineLayer({
    name: "VK_LAYER_TEST_hidden_memory",
    commands: {
      vkGetPhysicalDeviceMemoryProperties(next, gpu, out) {
        next(gpu, out);
        const flags = this.u32(out + TYPES)!;
        poke32(out, 2);
        for (const [at, value] of [VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, flags, 0].entries()) {
          poke32(out + TYPES + 4n * BigInt(at), value);
        }
      },
      vkGetBufferMemoryRequirements(next, device, buffer, out) {
        next(device, buffer, out);
        poke32(out + BITS, 3);
      },
      vkAllocateMemory(next, device, info, allocator, out) {
        const type = this.u32(info + INDEX)!;
        poke32(info + INDEX, 0);
        const result = next(device, info, allocator, out);
        poke32(info + INDEX, type);
        if (type !== 0 || result !== 0) return result;
        const memory = this.u64(out)!, { allocationSize } = this.read("VkMemoryAllocateInfo", info)!;
        const below = this.below(device);
        inFrame((frame) => {
          const place = frame.place(new Uint8Array(8));
          below.vkMapMemory(device, memory, 0n, VK_WHOLE_SIZE, 0, place);
          invokeAddress(memset, "q:qsq", [this.u64(place)!, byte, allocationSize]); // void *memset(void *, int, size_t)
          below.vkUnmapMemory(device, memory);
        });
        return result;
      },
    },
  });
}
