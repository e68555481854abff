import "../../ffi/image/assembler.ts";
import type { VulkanOptions } from "../options.ts";
import { android } from "../platform/android.ts";
import { linux } from "../platform/linux.ts";
import { load, type LoaderEntry } from "./load.ts";
import type { Vulkan } from "./vulkan.ts";

/** The rules of both platforms. */
export const WHOLE: LoaderEntry = { platforms: [android, linux] };

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
  return load(options, WHOLE);
}
