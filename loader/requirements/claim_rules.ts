import { decodeDeqpLevel, DEQP_LEVEL_SINCE, leastDeqpLevel } from "./deqp_level.ts";
import { computeOf, hardwareVersionOf, levelOf } from "./hardware_level.ts";
import { demand } from "./requirement.ts";
import type { Circumstances, DeviceRule, DriverRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";

const TEST = "CTS VulkanFeaturesTest#testVulkanHardwareFeatures";

/** VK2: the claimed values of system features are those that the device earns. */
export const CLAIM_RULES: readonly DeviceRule[] = [
  claimRule("level", (device) => levelOf(device)),
  claimRule("version", ({ apiVersion }, { release }) => hardwareVersionOf(apiVersion, release) ?? -1),
  claimRule("compute", (device) => computeOf(device)),
];

/** VK37: the dEQP level. */
export const DEQP_RULE: DriverRule = {
  id: "VK37",
  rule: "vulkan.deqp-level",
  requirement:
    "Since Android 11 android.software.vulkan.deqp.level claims a date whose dEQP tests pass, no earlier than the release asks for.",
  source: "CDD 7.1.4.2; CTS DeqpLevel, CtsDeqpTestCases",
  check: checkLevel,
};

/** VK36: the conformance that queries cannot replace. */
export const CONFORMANCE_RULE: DriverRule = {
  id: "VK36",
  rule: "vulkan.conformance",
  requirement: "The Khronos conformance tests and Android's own pass on the device.",
  source: "CTS CtsDeqpTestCases (dEQP-VK), CtsGraphicsTestCases",
  check({ release, deqpLevel, driver: { devices } }) {
    const newest = Math.max(...devices.map(({ apiVersion }) => apiVersion >>> 12 & 0x3ff), 0);
    const lists = deqpLevel === undefined || release < DEQP_LEVEL_SINCE
      ? "all lists of dEQP-VK, as no level is claimed"
      : `the lists of dEQP-VK up to ${decodeDeqpLevel(deqpLevel)}`;
    const found =
      `to be run on the device: CtsDeqpTestCases with ${lists}, for Vulkan 1.0 to 1.${newest}; CtsGraphicsTestCases`;
    return { status: "report", found };
  },
};

function claimRule(
  key: "level" | "version" | "compute",
  earnedBy: (...args: Parameters<DeviceRule["check"]>) => number,
): DeviceRule {
  return {
    id: "VK2",
    rule: `vulkan.claimed-${key}`,
    requirement: `android.hardware.vulkan.${key} claims exactly what the device earns.`,
    source: TEST,
    skipsCpu: true,
    check(device, around) {
      const earned = earnedBy(device, around), claimed = around.claims?.[key];
      const found = `${shown(earned)} is earned`;
      if (claimed === undefined) return { status: "report", found: `${found}; no claim was given` };
      const advice = earned < 0 ? "do not declare the feature" : `declare ${shown(earned)}`;
      return demand(claimed === earned, `${found}, ${shown(claimed)} is claimed`, advice, undefined);
    },
  };
}

function shown(value: number): string {
  return value < 0 ? "nothing" : value > 9 ? `0x${value.toString(16)}` : `${value}`;
}

function checkLevel({ release, deqpLevel }: Circumstances): Outcome {
  const least = leastDeqpLevel(release);
  if (deqpLevel === undefined) {
    const wanted = least === undefined ? "" : `; Android ${release} takes ${decodeDeqpLevel(least)} at least`;
    return { status: "report", found: `no level was given${wanted}` };
  }
  const found = `${decodeDeqpLevel(deqpLevel)} (${deqpLevel})`;
  if (release < DEQP_LEVEL_SINCE || least === undefined) {
    return { status: "not-applicable", found: `${found}; the feature is there since Android ${DEQP_LEVEL_SINCE}` };
  }
  const advice = `pass the tests of ${decodeDeqpLevel(least)} or a later level, and claim it`;
  return demand(
    deqpLevel >= least,
    `${found}; Android ${release} asks for ${decodeDeqpLevel(least)}`,
    advice,
    undefined,
  );
}
