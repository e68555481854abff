/**
 * Checks of drivers against Android's requirements. {@linkcode checkVulkan},
 * {@linkcode checkEgl} and {@linkcode checkComposer} try every rule and report
 * the finding, the rule's source and the advice. {@linkcode writeDeviceTree}
 * writes a device tree's declarations for the features that passed,
 * {@linkcode verifyDeviceTree} compares a device tree with the results, and
 * {@linkcode runDeqp} runs the conformance tests that a claimed level requires.
 *
 * @example The rules that a driver fails
 * ```ts ignore
 * import { checkVulkan } from "@pumice/gfx/check";
 *
 * const { verdicts } = checkVulkan({ driver: "vulkan.soc.so", release: 16 });
 * for (const { rule, found, advice } of verdicts.filter(({ status }) => status === "fail")) {
 *   console.log(`${rule}: ${found}; ${advice}`);
 * }
 * ```
 *
 * @module
 */
export { checkVulkan } from "../../wsi/check_vulkan.ts";
export type { CheckProgress } from "../../loader/requirements/requirement.ts";
export type { VulkanCheckOptions } from "../../loader/requirements/run_check.ts";
export type { VulkanDeviceReport, VulkanFeatures, VulkanReport } from "../../loader/requirements/report.ts";
export type { DeviceConditions, FeatureClaims } from "../../loader/requirements/conditions.ts";
export type { ProfileMiss, ProfileReport } from "../../loader/requirements/profiles/report.ts";
export {
  checkEgl,
  declaredGles,
  describeEgl,
  type EglCheckOptions,
  type EglReport,
} from "../../egl/requirements/check_egl.ts";
export type { EglRequirement } from "../../egl/requirements/requirement.ts";
export { type EglRequirementOptions, eglRequirements } from "../../egl/requirements/requirements.ts";
export type { EglDescription, GlesDescription } from "../../egl/requirements/describe.ts";
export { checkComposer, type ComposerReport, declaredDisplay } from "../../hwc/requirements/check_composer.ts";
export type { ComposerCheckOptions } from "../../hwc/requirements/session.ts";
export type { RequirementStatus, Rule, Verdict } from "../../loader/requirements/verdict.ts";

export { decodeDeqpLevel, type DeqpLevel, encodeDeqpLevel } from "../../loader/requirements/deqp_level.ts";
export {
  type DeclaredFeature,
  type DeviceDeclarations,
  deviceTreeFiles,
  type TreeFile,
  writeDeviceTree,
} from "../../loader/requirements/device_tree.ts";
export type { FeatureClaim, PropertyClaim, TreeClaims } from "../../loader/requirements/device_tree_claims.ts";
export {
  type EarnedFeature,
  type EarnedFeatures,
  earnedFeatures,
  type WithheldFeature,
} from "../../loader/requirements/earned_features.ts";
export { readDeviceTree } from "../../loader/requirements/device_tree_claims.ts";
export { verifyDeviceTree } from "../../loader/requirements/verify_device_tree.ts";

export { type CaseMatcher, parsePatterns, readCaseList } from "../runs/deqp/case_list.ts";
export { type DeqpChange, type DeqpDiff, diffDeqp, diffText } from "../runs/deqp/diff.ts";
export { deqpJunit, parseResults, resultLines } from "../runs/deqp/results_file.ts";
export { type DeqpApi, isObliged, obligedLists } from "../runs/deqp/obligations.ts";
export type { DeqpOptions, DeqpOutcome, DeqpResult, DeqpRun } from "../runs/deqp/options.ts";
export { runDeqp } from "../runs/deqp/run_deqp.ts";
export type { DeqpCase, DeqpStatus } from "../runs/deqp/status.ts";
