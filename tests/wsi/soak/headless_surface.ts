import { codec } from "../../../loader/codec/codec.ts";
import { arena } from "../../../ffi/arena.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";

/** VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR */
const ANDROID_SURFACE = 1000008000;

/**
 * Gives whatever is above it a surface on a window by VK_EXT_headless_surface.
 * For the validation layer: a build of it for Linux does not know Android's
 * surfaces, and loses the handles of surfaces it has not seen made.
 */
export function headlessSurface(window: bigint): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_headless_surface",
    onForeignThread: "block",
    instanceExtensions: [{ extensionName: "VK_EXT_headless_surface", specVersion: 1 }],
    commands: {
      vkCreateHeadlessSurfaceEXT(_next, instance, _info, allocator, out) {
        const memory = arena(), mark = memory.mark(), { size, encode } = codec("VkAndroidSurfaceCreateInfoKHR");
        const at = memory.alloc(size);
        encode({ sType: ANDROID_SURFACE, window }, at);
        const { vkCreateAndroidSurfaceKHR } = this.below(instance);
        const result = vkCreateAndroidSurfaceKHR(instance, memory.address(at), allocator, out);
        memory.release(mark);
        return result;
      },
    },
  });
}
