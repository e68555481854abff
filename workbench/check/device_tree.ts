import { decodeDeqpLevel, type DeqpLevel } from "../../loader/requirements/deqp_level.ts";
import { readDeviceTree, type TreeClaims } from "../../loader/requirements/device_tree_claims.ts";
import { type ComposerReport, declaredDisplay } from "../../hwc/requirements/check_composer.ts";
import { declaredGles, type EglReport } from "../../egl/requirements/check_egl.ts";
import { type DeviceDeclarations, deviceTreeFiles, writeDeviceTree } from "../../loader/requirements/device_tree.ts";
import { verifyDeviceTree } from "../../loader/requirements/verify_device_tree.ts";
import { atPath } from "../process/files.ts";
import type { PartReport } from "./report.ts";
import { earnedFeatures } from "../../loader/requirements/earned_features.ts";
import type { VulkanReport } from "../../loader/requirements/report.ts";

/** The first value that a device tree claims of a feature. */
export function claimedValue(claims: TreeClaims | undefined, feature: string): number | undefined {
  return claims?.features.find(({ name, value }) => name === feature && value !== undefined)?.value;
}

/**
 * Returns the dEQP level that a device tree claims, as a date. A malformed claim is reported when the tree is compared.
 */
export function claimedLevel(claims: TreeClaims | undefined, feature: string): string | undefined {
  const value = claimedValue(claims, feature);
  try {
    return value === undefined ? undefined : decodeDeqpLevel(value);
  } catch {
    return undefined;
  }
}

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

/** The claims in the folder of `--verify`. Throws {@linkcode WrongUse} for a folder that cannot be read. */
export function treeOf(folder: string): TreeClaims {
  return atPath("--verify", folder, () => readDeviceTree(folder));
}

/** Compares the claims of a device tree with what was earned. */
export function treePart(folder: string, claims: TreeClaims, earned: DeviceDeclarations): PartReport {
  return { part: "tree", subject: folder, isNamed: true, verdicts: verifyDeviceTree(claims, earned) };
}

/** Writes the device tree of `--emit` and returns the paths. Throws {@linkcode WrongUse} if that fails. */
export function written(folder: string, earned: DeviceDeclarations, release: number): string[] {
  return atPath("--emit", folder, () => writeDeviceTree(folder, deviceTreeFiles(earned, release)));
}
