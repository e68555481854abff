import { peek64 } from "../../ffi/machine.ts";
import { requestedExtensions } from "../../loader/driver/structs/create_info.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import type { Layer, LayerExtension } from "../../loader/layer.ts";
import type { WindowSystem } from "./environment.ts";

const ANDROID = "VK_KHR_android_surface", HEADLESS = "VK_EXT_headless_surface";
/** VkAndroidSurfaceCreateInfoKHR.window. */
const WINDOW = 24n;

/**
 * The extension of the surfaces that are passed down the chain. The driver need not have the extension, and no list
 * shows it.
 */
export const GUISE: LayerExtension = { extensionName: HEADLESS, specVersion: 1, isListed: false };

/**
 * The layer above native layers that passes Android's surfaces through them as headless surfaces, down to a window
 * system's layer. Native layers that were built for Linux do not know Android's surfaces: Khronos validation passes
 * their creation on unseen, and ends the process when one is used.
 */
export function surfaceGuise(system: WindowSystem): Layer {
  return defineLayer({
    name: "VK_LAYER_PUMICE_android_surface_guise",
    ownHandles: true,
    onForeignThread: { vkCreateAndroidSurfaceKHR: "block" },
    commands: {
      vkCreateInstance(next, info, allocator, out) {
        const names = requestedExtensions(info);
        if (!names.includes(ANDROID) || names.includes(HEADLESS)) return next(info, allocator, out);
        const read = this.read("VkInstanceCreateInfo", info), ppEnabledExtensionNames = [...names, HEADLESS];
        const enabledExtensionCount = ppEnabledExtensionNames.length;
        const added = { ...read, enabledExtensionCount, ppEnabledExtensionNames };
        return next(this.write("VkInstanceCreateInfo", added), allocator, out);
      },
      vkCreateAndroidSurfaceKHR(_next, instance, info, allocator, out) {
        system.guisedWindow = peek64(info + WINDOW);
        try {
          const guise = this.write("VkHeadlessSurfaceCreateInfoEXT", {});
          return this.below(instance).vkCreateHeadlessSurfaceEXT(instance, guise, allocator, out);
        } finally {
          system.guisedWindow = 0n;
        }
      },
    },
  });
}
