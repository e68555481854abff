import { TESTED_EXTENSIONS } from "./tested_extensions.ts";
import { extensionOutcome } from "./core_1_1_rules.ts";
import { decodeDeqpLevel, encodeDeqpLevel } from "./deqp_level.ts";
import type { DeviceFacts } from "./facts.ts";
import { demand } from "./requirement.ts";
import type { Circumstances, DeviceRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";

/** Extensions that the CDD requires of every driver, and their lowest revisions. */
const MANDATORY: readonly (readonly [name: string, revision: number])[] = [
  ["VK_KHR_get_physical_device_properties2", 1],
  ["VK_KHR_maintenance1", 1],
];
/** Extensions that no device may list. */
export const BLOCKED: readonly string[] = [
  "VK_KHR_performance_query",
  "VK_KHR_video_queue",
  "VK_KHR_video_decode_queue",
  "VK_KHR_video_encode_queue",
];
/** The authors whose device extensions CTS examines. */
const AUTHORS = /^VK_(KHR|GOOGLE|ANDROID)_/;

/** VK3: required extensions. VK36: forbidden ones. */
export const EXTENSION_RULES: readonly DeviceRule[] = [
  ...MANDATORY.map(([name, revision]): DeviceRule => ({
    id: "VK3",
    rule: `vulkan.extension.${name}`,
    requirement: `${name} is there, revision ${revision} or newer.`,
    source: "CDD 7.1.4.2/C-1-7; CTS VulkanFeaturesTest#testVulkanRequiredExtensions; dEQP-VK.api.info",
    check: (device) => extensionOutcome(device, name, revision),
  })),
  ...BLOCKED.map((name): DeviceRule => ({
    id: "VK36",
    rule: `vulkan.blocked.${name}`,
    requirement: `No device lists ${name}.`,
    source: "CDD 7.1.4.2/C-1-11; CTS VulkanFeaturesTest#testVulkanBlockedExtensions",
    since: 11,
    check: (_device, { driver: { devices } }) => blockedOutcome(name, devices),
  })),
  {
    id: "VK36",
    rule: "vulkan.exposed-extensions",
    requirement:
      "Of VK_KHR, VK_GOOGLE and VK_ANDROID a device lists only extensions that the claimed dEQP level tests.",
    source: "CDD 7.1.4.2; CTS VulkanFeaturesTest#testVulkanExposedDeviceExtensions",
    since: 11,
    check: exposedOutcome,
  },
];

function blockedOutcome(name: string, devices: readonly DeviceFacts[]): Outcome {
  const having = devices.filter(({ deviceExtensions }) => deviceExtensions.includes(name));
  const found = having.length === 0 ? "not listed" : `listed by ${having.map((each) => `"${each.name}"`).join(", ")}`;
  return demand(having.length === 0, found, "the driver must not list it on Android", having[0] ? "driver" : undefined);
}

function exposedOutcome(device: DeviceFacts, { deqpLevel }: Circumstances): Outcome {
  const known = encodeDeqpLevel(TESTED_EXTENSIONS.at(-1)!.level);
  if (deqpLevel === undefined) return { status: "report", found: "no dEQP level is claimed, so none is tested" };
  const tested = new Set(
    TESTED_EXTENSIONS.filter(({ level }) => encodeDeqpLevel(level) <= deqpLevel).flatMap(({ names }) => names),
  );
  const listed = device.deviceExtensions.filter((name) => AUTHORS.test(name));
  const untested = listed.filter((name) => !tested.has(name)), level = decodeDeqpLevel(deqpLevel);
  if (untested.length === 0) return demand(true, `all ${listed.length} are tested at ${level}`, "");
  const found = `the lists up to ${decodeDeqpLevel(Math.min(known, deqpLevel))} do not have ${untested.join(", ")}`;
  if (deqpLevel > known) {
    return { status: "report", found: `${found}; what ${level} tests beyond them is not known here` };
  }
  return demand(false, found, "claim a newer level, or do not list them", "driver");
}
