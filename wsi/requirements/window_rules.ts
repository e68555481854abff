import { extensionOutcome } from "../../loader/requirements/core_1_1_rules.ts";
import type { DeviceFacts } from "../../loader/requirements/facts.ts";
import { demand } from "../../loader/requirements/requirement.ts";
import type { DeviceRule } from "../../loader/requirements/rule.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import { V1_1 } from "../../loader/version.ts";
import { NATIVE_BUFFER } from "../adaptor/constants.ts";

const GUIDE = "Android's implementation guide for Vulkan, window system integration";
const TEST = "CDD 7.1.4.2/C-1-7, 3.3.1/C-0-12; CTS VulkanFeaturesTest#testVulkanRequiredExtensions";
/** The extension that a property turns on, so that no driver brings the extension. */
const TIMING = "VK_GOOGLE_display_timing";
const UNTIMED: Outcome = {
  status: "report",
  own: "provided",
  found: `no ${TIMING}, which no driver brings: the property service.sf.present_timestamp turns it on`,
};
/** A rule about an extension of the window system. */
interface Wanted {
  readonly name: string;
  /** The lowest revision. */
  readonly revision: number;
  readonly source: string;
  readonly since?: number;
  readonly version?: number;
}

/** The extensions of the window system, with their lowest revisions. */
const WANTED: readonly Wanted[] = [
  { name: "VK_KHR_surface", revision: 25, source: TEST },
  { name: "VK_KHR_android_surface", revision: 6, source: TEST },
  { name: "VK_KHR_swapchain", revision: 68, source: TEST },
  { name: "VK_KHR_incremental_present", revision: 1, source: TEST },
  { name: TIMING, revision: 1, source: GUIDE, since: 10 },
  { name: "VK_KHR_driver_properties", revision: 1, source: GUIDE, since: 10, version: V1_1 },
];

/** VK24 and VK25: the window system as applications see it. */
export const WINDOW_RULES: readonly DeviceRule[] = [
  ...WANTED.map(({ name, revision, ...when }): DeviceRule => ({
    id: "VK24",
    rule: `vulkan.window.${name}`,
    requirement: `Applications have ${name}, revision ${revision} or newer.`,
    ...when,
    check: (device) =>
      name === TIMING && !device.extensions.has(name) ? UNTIMED : extensionOutcome(device, name, revision),
  })),
  {
    id: "VK25",
    rule: "vulkan.window.hidden",
    requirement: `Applications do not see ${NATIVE_BUFFER}, which is between the window system and the driver.`,
    source: GUIDE,
    check: checkHidden,
  },
];

function checkHidden({ extensions }: DeviceFacts): Outcome {
  const listed = extensions.has(NATIVE_BUFFER);
  return demand(
    !listed,
    listed ? "it is listed" : "it is not listed",
    "the loader must hide it from applications",
    "provided",
  );
}
