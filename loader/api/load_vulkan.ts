import "../../ffi/image/assembler.ts";
import type { VulkanOptions } from "../options.ts";
import { android } from "../platform/android.ts";
import { linux } from "../platform/linux.ts";
import { load, type LoaderEntry } from "./load.ts";
import type { Vulkan } from "./vulkan.ts";
import { noDriver } from "../driver/report/finding.ts";
import { DriverError } from "../error.ts";

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

/**
 * Returns the loader itself if one of its drivers has a device. A loader that
 * searched for drivers works without any device, too, as the system's loader
 * does: its lists come from layers, and only creating an instance fails.
 *
 * @throws {DriverError} if no driver has a device; the message lists the
 *   findings. The loader is closed then.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan, requireDriver } from "@pumice/gfx/loader";
 *
 * using vulkan = requireDriver(loadVulkan());
 * ```
 */
export function requireDriver(vulkan: Vulkan): Vulkan {
  if (vulkan.driver !== "") return vulkan;
  const findings = vulkan.explain();
  vulkan.close();
  throw Object.assign(new DriverError("not-found", "auto", noDriver(findings)), { findings });
}
