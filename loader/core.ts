/**
 * Vulkan on a driver that is named, with layers in TypeScript, and nothing
 * else: the light way in. {@linkcode loadVulkan} gives the same objects as that
 * of `@pumice/gfx/loader`, of the same types. What is not here: the search for
 * drivers and layers, several drivers behind one, native layers, the rules of
 * Android's and Linux's loaders, and installing the loader for native code.
 *
 * Needs `--allow-ffi`; naming a manifest takes `--allow-read`, too.
 *
 * @example A buffer on a driver
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/core";
 *
 * using vulkan = loadVulkan({ driver: "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so" });
 * using instance = vulkan.vkCreateInstance({});
 * const [gpu] = instance.vkEnumeratePhysicalDevices();
 * using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
 * const buffer = device.vkCreateBuffer({ size: 65536n, usage: 2 });
 * device.vkDestroyBuffer(buffer);
 * ```
 *
 * @module
 */
export { type CoreOptions, loadVulkan } from "./api/load_core.ts";
export type { Host } from "./driver/host/host.ts";
export { DriverError, type DriverErrorCode, VulkanError } from "./error.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
export { defineLayer } from "./layers/define/define_layer.ts";
export type * from "./public_types.ts";
