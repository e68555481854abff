/**
 * The capabilities of Vulkan drivers as data: the report of Android's vkjson,
 * and the differences between two such reports.
 *
 * @example What another driver has that this one has not
 * ```ts ignore
 * import { vkjson, vkjsonDifferences } from "@pumice/gfx/vkjson";
 *
 * const old = vkjson({ driver: "/vendor/lib64/hw/vulkan.old.so" });
 * const fresh = vkjson({ driver: "/vendor/lib64/hw/vulkan.new.so" });
 * for (const { path, one, other } of vkjsonDifferences(old, fresh)) console.log(path, one, other);
 * ```
 *
 * @module
 */
export { type VkjsonDifference, vkjsonDifferences } from "./vkjson/differences.ts";
export type { Json, JsonObject } from "./vkjson/json_value.ts";
export { vkjson, type VkjsonInstance, type VkjsonOptions } from "./vkjson/vkjson.ts";
export type { VulkanOptions } from "./options.ts";
export type { Vulkan } from "./api/vulkan.ts";
export type { AndroidRelease } from "./driver/android/options.ts";
