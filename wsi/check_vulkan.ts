import { RELEASES } from "../loader/requirements/conditions.ts";
import type { VulkanReport } from "../loader/requirements/report.ts";
import { type CheckParts, runVulkanCheck, type VulkanCheckOptions } from "../loader/requirements/run_check.ts";
import { requireDriver } from "../loader/api/load_vulkan.ts";
import { loadVulkan } from "./load_vulkan.ts";
import { FRAME_TRIALS } from "./requirements/frame_trials.ts";
import { IMAGE_TRIALS } from "./requirements/image_trials.ts";
import { runTrials } from "./requirements/trial.ts";
import { WINDOW_RULES } from "./requirements/window_rules.ts";
import { broughtToDevices, broughtToInstances } from "./swapchain/extensions.ts";

/**
 * Checks whether a driver meets Android's requirements: every rule for Vulkan, with the findings and the advice. The
 * rules about applications see the driver with Android's window system around it, as `loadVulkan` provides it; features
 * of the window system have the owner `provided`. Native buffers are tried with real images and fences, on the driver's
 * own VK_ANDROID_native_buffer or on the provided one.
 *
 * @throws when the driver or a layer cannot be used.
 * @throws when an option is invalid, or a profile cannot be read.
 *
 * @example What a driver lacks for a new device
 * ```ts ignore
 * import { checkVulkan } from "@pumice/gfx/check";
 *
 * const { verdicts } = checkVulkan({ driver: "vulkan.soc.so", release: 16, deqpLevel: "2025-03-01", glesVersion: [3, 2] });
 * for (const { rule, found, advice } of verdicts.filter(({ status }) => status === "fail")) {
 *   console.log(`${rule}: ${found}; ${advice}`);
 * }
 * ```
 */
export function checkVulkan(options: VulkanCheckOptions = {}): VulkanReport {
  const brought = [...broughtToDevices(), ...broughtToInstances(RELEASES[1])];
  const parts: CheckParts = {
    load: (options) => requireDriver(loadVulkan(options)),
    window: {
      instanceExtensions: ["VK_KHR_surface", "VK_KHR_android_surface"],
      provided: new Set(brought.map(({ extensionName }) => extensionName)),
    },
    rules: WINDOW_RULES,
    tryOut: (place, wants) => runTrials([...IMAGE_TRIALS, ...FRAME_TRIALS].filter(({ rule }) => wants(rule)), place),
  };
  return runVulkanCheck(options, parts);
}
