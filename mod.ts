/**
 * Android's graphics loader side in TypeScript, over any native driver: the
 * Vulkan loader and its layer chain, and the floors it stands on.
 *
 * Start with {@linkcode loadVulkan}; `@pumice/gfx/vk` has the constants.
 *
 * @example Name the GPUs of this machine
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx";
 *
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({});
 * for (const gpu of instance.vkEnumeratePhysicalDevices()) {
 *   console.log(gpu.vkGetPhysicalDeviceProperties().deviceName);
 * }
 * ```
 *
 * @module
 */
export * from "./loader/mod.ts";
export { loadVulkan } from "./wsi/load_vulkan.ts";
export * from "./wsi/mod.ts";
export { createVulkanBackend, type OwnVulkanBackendOptions } from "./hwc/backends/own_vulkan.ts";
export type { CompositionBackend } from "./hwc/backends/backend.ts";
