import { loadVulkan } from "../api/load_vulkan.ts";
import { type CheckParts, runVulkanCheck, type VulkanCheckOptions } from "./run_check.ts";
import type { VulkanReport } from "./report.ts";

const BARE: CheckParts = { load: loadVulkan, window: { instanceExtensions: [], provided: new Set() }, rules: [] };

/**
 * Checks whether a driver makes an Android device: every rule for Vulkan, with
 * what was found and what to change. This one has the driver alone; the one of
 * `@pumice/gfx` has Android's window system around it, and tries native buffers, too.
 *
 * @throws {DriverError} when the driver or a layer cannot be used.
 * @throws {TypeError} when an option makes no sense, or a profile cannot be read.
 *
 * @example
 * ```ts ignore
 * import { checkVulkan } from "@pumice/gfx/loader";
 *
 * const { verdicts, features } = checkVulkan({ driver: "/usr/lib/libvulkan_lvp.so", android: 16 });
 * for (const { rule, status, found } of verdicts) console.log(status, rule, found);
 * console.log(features.level, features.version?.toString(16));
 * ```
 */
export function checkVulkan(options: VulkanCheckOptions = {}): VulkanReport {
  return runVulkanCheck(options, BARE);
}
