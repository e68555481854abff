import { driverChoice } from "../../../loader/driver/choice.ts";
import { checkVulkan, type VulkanCheckOptions } from "../mod.ts";
import type { FeatureClaims } from "../../../loader/requirements/conditions.ts";
import type { TreeClaims } from "../../../loader/requirements/device_tree_claims.ts";
import { VULKAN_FEATURES } from "../../../loader/requirements/earned_features.ts";
import type { VulkanReport } from "../../../loader/requirements/report.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { versionText } from "../../../loader/version.ts";
import { WrongUse } from "../../process/exit_code.ts";
import { claimedLevel, claimedValue } from "../device_tree.ts";
import type { PartReport } from "../report.ts";
import type { CheckRequest } from "../check_request.ts";
import { type ChildLine, notRun } from "./line.ts";
import { checkApart } from "./process.ts";

/**
 * Checks the Vulkan driver, in a process of its own if this process may start processes. `glesVersion` is the EGL
 * driver's version, `major << 16 | minor`; 0 if there is none. `tell` gets each verdict as soon as it is known.
 */
export async function vulkanPart(
  request: CheckRequest,
  glesVersion: number,
  claims: TreeClaims | undefined,
  tell: (verdict: Verdict) => void,
): Promise<{ part: PartReport; report?: VulkanReport }> {
  const isNamed = request.isChosen || driverChoice(request.options.driver).kind !== "auto";
  const options = optionsOf(request, glesVersion, claims);
  const { report, notRun, wrong } = mayStart() ? await checkApart(options, tell) : checkHere(options, tell);
  if (wrong !== undefined) throw new WrongUse(wrong);
  if (!report) return { part: { part: "vulkan", subject: "", notRun, isNamed, verdicts: [] } };
  const device = report.devices[report.best], { verdicts } = report;
  const about = device ? ` · ${device.deviceName}, Vulkan ${versionText(device.apiVersion)}${othersText(report)}` : "";
  return { part: { part: "vulkan", subject: report.driver + about, isNamed, verdicts }, report };
}

/** Says that verdicts are about one device of several, and names the others. */
function othersText({ devices, best }: VulkanReport): string {
  const others = devices.filter((_, index) => index !== best).map(({ deviceName }) => deviceName);
  return others.length === 0 ? "" : `, the best device; not judged: ${others.join(", ")}`;
}

function mayStart(): boolean {
  return !Deno.build.standalone && Deno.permissions.querySync({ name: "run" }).state === "granted";
}

function checkHere(options: VulkanCheckOptions, tell: (verdict: Verdict) => void): ChildLine {
  try {
    return { report: checkVulkan({ ...options, progress: { end: tell } }) };
  } catch (error) {
    return notRun(error);
  }
}

function optionsOf(
  { options, release, launch, lowMemory, profiles, deqpLevel, timeout }: CheckRequest,
  glesVersion: number,
  claims: TreeClaims | undefined,
): VulkanCheckOptions {
  return {
    ...options,
    release,
    launch,
    lowMemory,
    profiles,
    timeout,
    deqpLevel: deqpLevel ?? claimedLevel(claims, VULKAN_FEATURES.deqpLevel),
    ...glesVersion > 0 ? { glesVersion: [glesVersion >>> 16, glesVersion & 0xffff] } : {},
    ...claims ? { claims: claimsOf(claims) } : {},
  };
}

function claimsOf(claims: TreeClaims): FeatureClaims {
  const { level, version, compute } = VULKAN_FEATURES, of = (name: string) => claimedValue(claims, name) ?? -1;
  return { level: of(level), version: of(version), compute: of(compute) };
}
