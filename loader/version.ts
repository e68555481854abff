/**
 * The version macros of the Vulkan headers, as functions.
 *
 * @module
 */
import { VK_HEADER_VERSION_COMPLETE } from "./gen/native_gen.ts";

/**
 * Packs a version into the 32 bits that Vulkan uses: 3 for the variant (0 is Vulkan), 7 for major, 10 for minor, 12
 * for patch.
 *
 * @example Vulkan 1.3
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(VK_MAKE_API_VERSION(0, 1, 3, 0), 4206592);
 * ```
 */
export function VK_MAKE_API_VERSION(variant: number, major: number, minor: number, patch: number): number {
  return ((variant << 29) | (major << 22) | (minor << 12) | patch) >>> 0;
}

/** Returns the variant of a packed version: 0 is Vulkan, 1 is Vulkan SC. */
export function VK_API_VERSION_VARIANT(version: number): number {
  return version >>> 29;
}

/** Returns the major part of a packed version. */
export function VK_API_VERSION_MAJOR(version: number): number {
  return version >>> 22 & 0x7f;
}

/** Returns the minor part of a packed version. */
export function VK_API_VERSION_MINOR(version: number): number {
  return version >>> 12 & 0x3ff;
}

/** Returns the patch part of a packed version. */
export function VK_API_VERSION_PATCH(version: number): number {
  return version & 0xfff;
}

/**
 * Formats a packed version as people write it.
 *
 * @example A driver's API version
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(versionText(4206847), "1.3.255");
 * ```
 */
export function versionText(version: number): string {
  return [VK_API_VERSION_MAJOR, VK_API_VERSION_MINOR, VK_API_VERSION_PATCH].map((part) => part(version)).join(".");
}

/** The version of a loader that searches for drivers. */
export const LOADER_VERSION: number = VK_HEADER_VERSION_COMPLETE;

/** Packed versions, without patch. */
export const V1_1: number = VK_MAKE_API_VERSION(0, 1, 1, 0);
/** 1.2 */
export const V1_2: number = VK_MAKE_API_VERSION(0, 1, 2, 0);
/** 1.3 */
export const V1_3: number = VK_MAKE_API_VERSION(0, 1, 3, 0);
/** 1.4, the newest. */
export const V1_4: number = VK_MAKE_API_VERSION(0, 1, 4, 0);
/** 1.0.3: the first that was published. */
export const V1_0: number = VK_MAKE_API_VERSION(0, 1, 0, 3);
