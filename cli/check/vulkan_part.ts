import { DriverError, VulkanError } from "../../loader/mod.ts";
import { checkVulkan } from "../../check.ts";
import type { FeatureClaims } from "../../loader/requirements/conditions.ts";
import type { TreeClaims } from "../../loader/requirements/device_tree_claims.ts";
import { VULKAN_FEATURES } from "../../loader/requirements/earned_features.ts";
import type { VulkanReport } from "../../loader/requirements/report.ts";
import { versionText } from "../../loader/version.ts";
import { WrongUse } from "../command.ts";
import { claimedLevel, claimedValue } from "./claimed.ts";
import type { PartReport } from "./report.ts";
import type { CheckRequest } from "./request.ts";

/** Checks the Vulkan driver. `glesVersion` is what the EGL driver has, `major << 16 | minor`; 0 if there is none. */
export function vulkanPart(
  request: CheckRequest,
  glesVersion: number,
  claims: TreeClaims | undefined,
): { part: PartReport; report?: VulkanReport } {
  const { driver } = request.options, isNamed = request.isChosen || (driver !== undefined && driver !== "auto");
  try {
    const report = checkVulkan(optionsOf(request, glesVersion, claims)), device = report.devices[report.best];
    const about = device ? ` · ${device.deviceName}, Vulkan ${versionText(device.apiVersion)}` : "";
    const { verdicts } = report;
    return { part: { part: "vulkan", subject: report.driver + about, isNamed, verdicts }, report };
  } catch (error) {
    if (error instanceof TypeError) throw new WrongUse(error.message);
    if (!(error instanceof DriverError || error instanceof VulkanError)) throw error;
    return { part: { part: "vulkan", subject: "", notRun: error.message, isNamed, verdicts: [] } };
  }
}

function optionsOf(
  { options, android, launch, lowMemory, profiles, deqpLevel }: CheckRequest,
  glesVersion: number,
  claims: TreeClaims | undefined,
): Parameters<typeof checkVulkan>[0] {
  return {
    ...options,
    android,
    launch,
    lowMemory,
    profiles,
    deqpLevel: deqpLevel ?? claimedLevel(claims, VULKAN_FEATURES.deqpLevel),
    ...glesVersion > 0 ? { glesVersion: [glesVersion >>> 16, glesVersion & 0xffff] } : {},
    ...claims ? { claims: claimsOf(claims) } : {},
  };
}

function claimsOf(claims: TreeClaims): FeatureClaims {
  const { level, version, compute } = VULKAN_FEATURES, of = (name: string) => claimedValue(claims, name) ?? -1;
  return { level: of(level), version: of(version), compute: of(compute) };
}
