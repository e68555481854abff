import { assertEquals } from "@std/assert";
import { earnedFeatures } from "../../../loader/requirements/earned_features.ts";
import type { VulkanFeatures, VulkanReport } from "../../../loader/requirements/report.ts";
import type { RequirementStatus, Verdict } from "../../../loader/requirements/verdict.ts";

function report(features: Partial<VulkanFeatures>, statuses: Record<string, RequirementStatus> = {}): VulkanReport {
  const verdicts = Object.entries(statuses).map(([rule, status]): Verdict => ({
    id: "VK2",
    rule: `vulkan.${rule}`,
    requirement: "Something.",
    source: "somewhere",
    status,
    own: undefined,
    found: `${rule} was ${status}`,
    advice: "",
  }));
  const all = { level: 1, version: 0x403000, compute: 0, deqpLevel: 0x07e80301, ...features } as const;
  return { driver: "d", release: 15, launch: 15, cpuOnly: false, devices: [], best: 0, verdicts, features: all };
}

Deno.test("earnedFeatures() names Android's files for what a driver earned", () => {
  const { earned, withheld } = earnedFeatures(report({}));
  assertEquals(earned.map(({ name, value, file }) => [name, value, file]), [
    ["android.hardware.vulkan.level", 1, "android.hardware.vulkan.level-1.xml"],
    ["android.hardware.vulkan.version", 0x403000, "android.hardware.vulkan.version-1_3.xml"],
    ["android.hardware.vulkan.compute", 0, "android.hardware.vulkan.compute-0.xml"],
    ["android.software.vulkan.deqp.level", 132645633, "android.software.vulkan.deqp.level-2024-03-01.xml"],
  ]);
  assertEquals(earned.map(({ name, installed }) => installed === `${name}.xml`), [true, true, true, true]);
  assertEquals(withheld, []);
  assertEquals(
    earnedFeatures(report({ version: 0x400003 })).earned[1].file,
    "android.hardware.vulkan.version-1_0_3.xml",
  );
});

Deno.test("earnedFeatures() withholds what is not there or does not count, and says why", () => {
  const { earned, withheld } = earnedFeatures(report({ level: -1, compute: -1, deqpLevel: undefined }, {
    "hardware-level": "fail",
    "hardware-compute": "report",
    "version-counts": "fail",
    "deqp-level": "report",
  }));
  assertEquals(earned, []);
  assertEquals(withheld.map(({ reason }) => reason), [
    "hardware-level was fail",
    "version-counts was fail",
    "hardware-compute was report",
    "deqp-level was report",
  ]);
  assertEquals(earnedFeatures(report({ version: undefined })).withheld[0].reason, "there is no device");
});

Deno.test("earnedFeatures() withholds a version that does not count, although nobody tests drivers of CPUs alone", () => {
  const found = "1.3 does not count: it lacks something; CTS does not test drivers that have only CPUs";
  const untested = (advice: string) => {
    const given = report({}, { "version-counts": "not-applicable" });
    return earnedFeatures({ ...given, verdicts: given.verdicts.map((each) => ({ ...each, found, advice })) });
  };
  assertEquals(untested("the driver must bring what is missing").withheld, [
    { name: "android.hardware.vulkan.version", reason: found },
  ]);
  assertEquals(untested("").withheld, []);
});
