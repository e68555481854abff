import { type DeviceFacts, hasFeatureOf } from "./facts.ts";
import { demand } from "./requirement.ts";
import { type DeviceRule, ownerOf } from "./rule.ts";
import type { Outcome } from "./verdict.ts";
import { V1_1 } from "../version.ts";
import {
  VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
  VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT,
  VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT,
  VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
} from "../gen/native_gen.ts";

/** The bits of semaphores' features; those of fences have the same values. */
const EXPORTABLE = VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT,
  IMPORTABLE = VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
const HARDWARE_BUFFER = "VK_ANDROID_external_memory_android_hardware_buffer";
/** The revision that CTS requires. */
const HARDWARE_BUFFER_REVISION = 2;
/** The release from which devices of 1.1 need all of these. */
const SINCE = 10;
const TEST = "CDD 7.1.4.2/C-3-1; CTS VulkanFeaturesTest#testVulkan1_1Requirements";

/** VK20: the requirements of 1.1 on Android: import and export of memory, semaphores and fences, and YCbCr. */
export const CORE_1_1_RULES: readonly DeviceRule[] = [
  {
    id: "VK20",
    rule: "vulkan.1_1.ycbcr",
    requirement: "Devices of 1.1 sample YCbCr images, which cameras and codecs produce.",
    source: TEST,
    since: SINCE,
    version: V1_1,
    check(device) {
      const has = hasFeatureOf(device, "VkPhysicalDeviceSamplerYcbcrConversionFeatures", "samplerYcbcrConversion");
      return demand(has, `samplerYcbcrConversion ${has}`, "the driver must support samplerYcbcrConversion");
    },
  },
  {
    id: "VK20",
    rule: "vulkan.1_1.hardware-buffer",
    requirement:
      `Devices of 1.1 share memory as AHardwareBuffers: ${HARDWARE_BUFFER}, revision ${HARDWARE_BUFFER_REVISION} or newer.`,
    source: TEST,
    since: SINCE,
    version: V1_1,
    skipsCpu: true,
    check: (device) => extensionOutcome(device, HARDWARE_BUFFER, HARDWARE_BUFFER_REVISION),
  },
  {
    id: "VK20",
    rule: "vulkan.1_1.sync-fd-semaphores",
    requirement: "Devices of 1.1 import and export semaphores as SYNC_FD.",
    source: TEST,
    since: SINCE,
    version: V1_1,
    skipsCpu: true,
    check: (device) =>
      handleOutcome(device.semaphoreFeatures(VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT), "semaphores"),
  },
  {
    id: "VK20",
    rule: "vulkan.1_1.sync-fd-fences",
    requirement: "Devices of 1.1 import and export fences as SYNC_FD.",
    source: TEST,
    since: SINCE,
    version: V1_1,
    skipsCpu: true,
    check: (device) => handleOutcome(device.fenceFeatures(VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT), "fences"),
  },
];

/** Returns what a device lacks of the CDD's additions to its version, as clauses. */
export function additionsMissing(device: DeviceFacts, release: number): string[] {
  if (release < SINCE || device.apiVersion < V1_1) return [];
  return CORE_1_1_RULES.flatMap((rule) => {
    const { status, found } = rule.check(device, undefined as never);
    return status === "fail" ? [`${rule.rule.slice("vulkan.".length)}: ${found}`] : [];
  });
}

/** Whether an extension is present, in a revision or a newer one. */
export function extensionOutcome(device: DeviceFacts, name: string, revision: number): Outcome {
  const found = device.extensions.get(name);
  if (found === undefined) return demand(false, `no ${name}`, "the driver must implement the extension");
  const own = ownerOf(device, name);
  return demand(found >= revision, `${name} revision ${found}`, `revision ${revision} or newer is needed`, own);
}

function handleOutcome(features: number, what: string): Outcome {
  const can = [[EXPORTABLE, "exportable"], [IMPORTABLE, "importable"]] as const;
  const names = can.filter(([bit]) => features & bit).map(([, name]) => name);
  const found = `SYNC_FD ${what} are ${names.join(" and ") || "neither exportable nor importable"}`;
  return demand(names.length === can.length, found, `the driver must import and export ${what} as SYNC_FD`);
}
