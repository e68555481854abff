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
export { loadVulkan } from "./api/load_core.ts";
export { DriverError, type DriverErrorCode, VulkanError } from "./error.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
export { defineLayer } from "./layers/define/define_layer.ts";
export type * from "./public_types.ts";
