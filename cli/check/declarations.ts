import { type ComposerReport, declaredDisplay, declaredGles, type EglReport } from "../../check.ts";
import type { DeqpLevel } from "../../loader/requirements/deqp_level.ts";
import type { DeviceDeclarations } from "../../loader/requirements/device_tree.ts";
import { earnedFeatures } from "../../loader/requirements/earned_features.ts";
import type { VulkanReport } from "../../loader/requirements/report.ts";

/** Returns the declarations that the checked parts have earned together. */
export function declarationsOf(
  vulkan: VulkanReport | undefined,
  egl: EglReport | undefined,
  composer: ComposerReport | undefined,
  glesDeqpLevel: DeqpLevel | undefined,
): DeviceDeclarations {
  const parts = [
    ...vulkan ? [ofVulkan(vulkan)] : [],
    ...egl ? [declaredGles(egl, glesDeqpLevel)] : [],
    ...composer ? [declaredDisplay(composer)] : [],
  ];
  return {
    features: parts.flatMap(({ features }) => features),
    withheld: parts.flatMap(({ withheld }) => withheld),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  };
}

function ofVulkan(report: VulkanReport): DeviceDeclarations {
  const { earned, withheld } = earnedFeatures(report), name = /\/vulkan\.([\w.-]+)\.so$/.exec(report.driver)?.[1];
  return { features: earned, withheld, properties: name ? { "ro.hardware.vulkan": name } : {} };
}
