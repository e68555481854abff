import { defineLayer, type Layer } from "../../../loader/mod.ts";
import type { NativeWindow } from "../../../wsi/window/native_window.ts";

/**
 * A layer that makes surfaces on native windows of VK_EXT_headless_surface's,
 * in turn. Validation of Linux does not know VK_KHR_android_surface: it lets
 * vkCreateAndroidSurfaceKHR through unseen, and then takes the surface for
 * garbage. This stands below it.
 */
export function headlessSurfaces(windows: NativeWindow[]): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_headless_surfaces",
    ownHandles: true,
    instanceExtensions: [{ extensionName: "VK_EXT_headless_surface", specVersion: 1 }],
    commands: {
      vkCreateHeadlessSurfaceEXT(_next, instance, _info, allocator, out) {
        const info = this.write("VkAndroidSurfaceCreateInfoKHR", { window: windows.shift()!.address as never });
        return this.below(instance).vkCreateAndroidSurfaceKHR(instance, info, allocator, out);
      },
    },
  });
}
