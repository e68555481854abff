import "../../ffi/image/assembler.ts";
import type { VulkanOptions } from "../options.ts";
import { android } from "../platform/android.ts";
import { linux } from "../platform/linux.ts";
import type { PlatformRules } from "../platform/rules.ts";
import { load } from "./load.ts";
import type { Vulkan } from "./vulkan.ts";

/** The known platforms. */
export const PLATFORMS: readonly PlatformRules[] = [android, linux];

/**
 * Opens a Vulkan driver and puts layers on top. Several loaders with different
 * drivers and layers can be open at the same time.
 *
 * @throws {DriverError} if the driver or a layer cannot be used; the message
 *   says what was found and what to do.
 * @throws {TypeError} if an option is wrong.
 *
 * @example List the devices of the best driver
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({});
 * for (const gpu of instance.vkEnumeratePhysicalDevices()) {
 *   console.log(gpu.vkGetPhysicalDeviceProperties().deviceName);
 * }
 * ```
 *
 * @example The driver that Android would find in an unpacked image
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan({ platform: "android", root: "image", properties: "image/vendor/build.prop" });
 * for (const { path, reason } of vulkan.explain()) console.log(path, reason);
 * ```
 */
export function loadVulkan(options: VulkanOptions = {}): Vulkan {
  return load(options, PLATFORMS);
}
