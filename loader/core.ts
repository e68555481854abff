/**
 * Vulkan on a named driver, with layers in TypeScript, and nothing else: the
 * light entry. Its {@linkcode loadVulkan} has the options and the result of
 * the other entries'. This entry does not search for drivers and layers, joins
 * no drivers, opens no native layers, does not follow the rules of Android's
 * and Linux's loaders, and cannot install the loader for native code.
 *
 * Needs `--allow-ffi`. A manifest also needs `--allow-read`.
 *
 * @example A buffer on a driver
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/core";
 * import { VK_BUFFER_USAGE_TRANSFER_DST_BIT } from "@pumice/gfx/vk";
 *
 * using vulkan = loadVulkan({ driver: "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so" });
 * using instance = vulkan.vkCreateInstance({});
 * const [gpu] = instance.vkEnumeratePhysicalDevices();
 * using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
 * const buffer = device.vkCreateBuffer({ size: 65536n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
 * device.vkDestroyBuffer(buffer);
 * ```
 *
 * @module
 */
import { load, type LoaderEntry } from "./api/load.ts";
import type { Vulkan } from "./api/vulkan.ts";
import type { VulkanOptions } from "./options.ts";
import { bare } from "./platform/bare.ts";

export { DriverError, type DriverErrorCode, VulkanError } from "./error.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
export { defineLayer } from "./layers/define/define_layer.ts";
export type * from "./public_types.ts";

/** Nothing but what is named. */
const LEAN: LoaderEntry = {
  platforms: [bare],
  options: ["driver", "layers", "bottomLayers", "foreignCalls", "log", "host"],
};

/**
 * Opens a Vulkan driver and puts layers on top of it. Several loaders with different drivers and layers live side by
 * side.
 *
 * Three entries have this function, with the same options and the same result; the entries differ in what they find and
 * bring. `@pumice/gfx/core` opens the driver that is named, takes TypeScript layers, and refuses options of a search.
 * `@pumice/gfx/loader` also searches for drivers and layers as Linux's or Android's loader does, takes native layers and
 * several drivers, and can be installed. `@pumice/gfx` also brings Android's window system: instances that enable
 * VK_KHR_android_surface have surfaces on any `NativeWindow`, whatever the driver, unless `bottomLayers` are given.
 *
 * @throws {DriverError} if the driver or a layer cannot be used; the message says what was found and what to do.
 * @throws {TypeError} if an option is wrong, or the entry has no use for an option.
 *
 * @example The driver that Android would find in an unpacked image
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan({ platform: "android", root: "image", systemProperties: "image/vendor/build.prop" });
 * for (const { path, reason } of vulkan.explain()) console.log(path, reason);
 * ```
 */
export function loadVulkan(options: VulkanOptions = {}): Vulkan {
  return load(options, LEAN);
}
