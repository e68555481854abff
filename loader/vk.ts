/**
 * The names of the Vulkan API: constants by their C names, every type, the
 * version macros.
 *
 * Importing this module takes a few milliseconds and opens nothing.
 *
 * @example A buffer's usage
 * ```ts
 * import { VK_BUFFER_USAGE_TRANSFER_DST_BIT, type VkBufferUsageFlags } from "@pumice/gfx/vk";
 * import { assertEquals } from "@std/assert";
 *
 * const usage: VkBufferUsageFlags = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
 * assertEquals(usage, 2);
 * ```
 *
 * @module
 */
export * from "./gen/enums_core_gen.js";
export * from "./gen/enums_khr_gen.js";
export * from "./gen/enums_ext_gen.js";
export * from "./gen/enums_vendor_gen.js";
export * from "./gen/enums_video_gen.js";
export * from "./gen/enums_platform_gen.js";
export * from "./gen/enums_stype_gen.js";
export * from "./version.ts";
export type * from "./types.ts";
