import { assert, assertEquals } from "@std/assert";
import { CLAIM_RULES, CONFORMANCE_RULE, DEQP_RULE } from "../../../loader/requirements/claim_rules.ts";
import { CORE_1_1_RULES } from "../../../loader/requirements/core_1_1_rules.ts";
import { CORE_1_2_RULES } from "../../../loader/requirements/core_1_2_rules.ts";
import { CORE_1_3_RULES } from "../../../loader/requirements/core_1_3_rules.ts";
import { encodeDeqpLevel } from "../../../loader/requirements/deqp_level.ts";
import { DEVICE_RULES, HARDWARE_RULES } from "../../../loader/requirements/hardware_rules.ts";
import type { DeviceFacts } from "../../../loader/requirements/facts.ts";
import {
  bestDevice,
  computeOf,
  hardwareVersionOf,
  LEVEL_1_FEATURES,
  levelOf,
} from "../../../loader/requirements/hardware_level.ts";
import { holds } from "../../../loader/requirements/entry_point_rules.ts";
import { profileVerdict } from "../../../loader/requirements/profiles/evaluate.ts";
import { type Circumstances, type DeviceRule, judgeDevice, judgeDriver } from "../../../loader/requirements/rule.ts";
import { VERSION_RULES } from "../../../loader/requirements/version_rules.ts";
import { deviceThat, phone } from "./facts.ts";

const LEVEL_0 = { textureCompressionETC2: true };
const LEVEL_1 = { ...LEVEL_0, ...Object.fromEntries(LEVEL_1_FEATURES.map((name) => [name, true])) };

function featuring(features: Record<string, boolean>): DeviceFacts {
  return deviceThat({ structs: { VkPhysicalDeviceFeatures: features } });
}

/** A device with or without what compute 0 takes. */
function computing(apiVersion: number, variablePointers: boolean, buffers: number, level: object = LEVEL_1) {
  return deviceThat({
    apiVersion,
    structs: {
      VkPhysicalDeviceFeatures: { ...level },
      VkPhysicalDeviceVariablePointersFeatures: { variablePointers },
      VkPhysicalDeviceProperties: { limits: { maxPerStageDescriptorStorageBuffers: buffers } },
    },
  });
}

function statusOf(
  rules: readonly DeviceRule[],
  rule: string,
  device: DeviceFacts,
  around: Partial<Circumstances> = {},
) {
  const driver = { devices: [device], instanceVersion: device.apiVersion };
  return judgeDevice(rules.filter((each) => each.rule === rule), device, phone({ driver, ...around }))[0].status;
}

Deno.test("levelOf() is 1 with every feature of the list, 0 without any one of them, and none without ETC2", () => {
  assertEquals([levelOf(featuring(LEVEL_1)), levelOf(featuring(LEVEL_0)), levelOf(featuring({}))], [1, 0, -1]);
  assertEquals(LEVEL_1_FEATURES.length, 11);
  for (const name of LEVEL_1_FEATURES) assertEquals(levelOf(featuring({ ...LEVEL_1, [name]: false })), 0, name);
  assertEquals(levelOf(featuring({ ...LEVEL_1, textureCompressionETC2: false })), -1);
});

Deno.test("computeOf() is 0 with variable pointers and 16 storage buffers", () => {
  const cases: [boolean, number][] = [[true, 16], [true, 15], [false, 16]];
  assertEquals(cases.map(([pointers, buffers]) => computeOf(computing(0x401000, pointers, buffers))), [0, -1, -1]);
});

Deno.test("hardwareVersionOf() has the value of the same variant, major and minor that the release knows", () => {
  const values: [number, number, number | undefined][] = [
    [0x400003, 7, 0x400003],
    [0x400fff, 8, 0x400003],
    [0x400002, 17, undefined],
    [0x401000, 9, 0x401000],
    [0x4010ff, 8, undefined],
    [0x402084, 17, 0x402000],
    [0x403117, 13, 0x403000],
    [0x403117, 12, undefined],
    [0x40414f, 16, 0x404000],
    [0x40414f, 15, undefined],
    [0x405000, 17, undefined],
    [0x20401000, 17, undefined],
  ];
  for (const [apiVersion, release, value] of values) {
    assertEquals(hardwareVersionOf(apiVersion, release), value, `0x${apiVersion.toString(16)} on ${release}`);
  }
});

Deno.test("bestDevice() takes the one that is no worse in anything, the later of equals", () => {
  const old = computing(0x401000, false, 4, LEVEL_0),
    better = computing(0x403000, true, 32),
    equal = computing(0x403000, true, 16);
  assertEquals(bestDevice([old, better]), better);
  assertEquals(bestDevice([better, old]), better);
  assertEquals(bestDevice([better, equal]), equal);
  assertEquals(bestDevice([]), undefined);
});

Deno.test("the version that a new device needs depends on its release, its ABI and its memory", () => {
  const status = (apiVersion: number, launch: number, around: Partial<Circumstances> = {}) =>
    statusOf(VERSION_RULES, "vulkan.launch-version", deviceThat({ apiVersion }), { launch, ...around });
  assertEquals([status(0x400003, 9), status(0x400003, 10), status(0x401000, 10), status(0x401000, 12)], [
    "report",
    "fail",
    "pass",
    "pass",
  ]);
  assertEquals([status(0x402000, 13), status(0x403000, 13), status(0x403000, 17)], ["fail", "pass", "pass"]);
  assertEquals([status(0x400003, 13, { is64Bit: false }), status(0x400003, 13, { lowMemory: true })], [
    "report",
    "report",
  ]);
  assertEquals(status(0x400003, 13, { cpuOnly: true }), "not-applicable");
});

Deno.test("every device needs 1.1 since Android 14, and 1.1 needs its additions since Android 10", () => {
  const old = deviceThat({ apiVersion: 0x400003 }), bare = deviceThat({ apiVersion: 0x401000 });
  const each = (release: number) => statusOf(VERSION_RULES, "vulkan.each-device-version", old, { release });
  assertEquals([each(13), each(14)], ["report", "fail"]);
  for (const { rule } of CORE_1_1_RULES) {
    const status = (device: DeviceFacts, around: Partial<Circumstances>) =>
      statusOf(CORE_1_1_RULES, rule, device, around);
    assertEquals([status(bare, { release: 9 }), status(bare, { release: 10 })], ["report", "fail"], rule);
    assertEquals(status(old, { release: 17 }), "not-applicable", rule);
    assertEquals(status(bare, { cpuOnly: true }), rule.endsWith("ycbcr") ? "fail" : "not-applicable", rule);
  }
  const counts = (release: number) => statusOf(VERSION_RULES, "vulkan.version-counts", bare, { release });
  assertEquals([counts(9), counts(10)], ["pass", "fail"]);
});

Deno.test("what a version leaves open is reported, what it makes mandatory fails", () => {
  const status = (rule: string, apiVersion: number, around: Partial<Circumstances> = {}) =>
    statusOf([...CORE_1_2_RULES, ...CORE_1_3_RULES], rule, deviceThat({ apiVersion }), around);
  assertEquals(
    ["vulkan.1_2.8bit-storage"].map((rule) => [
      status(rule, 0x401000),
      status(rule, 0x402000, { launch: 14 }),
      status(rule, 0x402000, { launch: 15 }),
    ]),
    [["not-applicable", "report", "fail"]],
  );
  assertEquals([status("vulkan.1_2.memory-model", 0x402000), status("vulkan.1_2.memory-model", 0x403000)], [
    "report",
    "fail",
  ]);
  assertEquals([status("vulkan.1_3.features", 0x402000), status("vulkan.1_3.features", 0x403000)], [
    "not-applicable",
    "fail",
  ]);
  assertEquals([status("vulkan.1_4.features", 0x403000), status("vulkan.1_4.features", 0x404000)], [
    "not-applicable",
    "fail",
  ]);
});

Deno.test("each feature that 1.3 and 1.4 make mandatory is missed alone", () => {
  for (const [rule, apiVersion] of [["vulkan.1_3.features", 0x403000], ["vulkan.1_4.features", 0x404000]] as const) {
    const [{ found }] = judgeDevice(
      CORE_1_3_RULES.filter((each) => each.rule === rule),
      deviceThat({ apiVersion }),
      phone(),
    );
    const names = found.slice("no ".length).split(", ");
    const all = Object.fromEntries(names.map((name) => [name, true]));
    const structs = (features: object) =>
      Object.fromEntries(
        ["", "Vulkan11", "Vulkan12", "Vulkan13", "Vulkan14"].map((
          each,
        ) => [`VkPhysicalDevice${each}Features`, { ...features }]),
      );
    assertEquals(statusOf(CORE_1_3_RULES, rule, deviceThat({ apiVersion, structs: structs(all) })), "pass");
    for (const name of names) {
      const device = deviceThat({ apiVersion, structs: structs({ ...all, [name]: false }) });
      assertEquals(statusOf(CORE_1_3_RULES, rule, device), "fail", name);
    }
  }
});

Deno.test("system features that claim too little or too much are found out, and none is judged unclaimed", () => {
  const device = computing(0x403000, true, 16);
  const status = (key: string, value?: number) =>
    statusOf(CLAIM_RULES, `vulkan.claimed-${key}`, device, {
      claims: value === undefined ? undefined : { [key]: value },
    });
  assertEquals([status("level"), status("level", 1), status("level", 0), status("level", -1)], [
    "report",
    "pass",
    "fail",
    "fail",
  ]);
  assertEquals([status("version", 0x403000), status("version", 0x401000), status("version", 0x403001)], [
    "pass",
    "fail",
    "fail",
  ]);
  assertEquals([status("compute", 0), status("compute", -1)], ["pass", "fail"]);
});

Deno.test("the dEQP level that a release asks for", () => {
  const status = (release: number, level?: string) =>
    judgeDriver([DEQP_RULE], phone({ release, deqpLevel: level === undefined ? undefined : encodeDeqpLevel(level) }))[0]
      .status;
  assertEquals([status(10, "2019-03-01"), status(11, "2020-03-01"), status(11, "2019-03-01"), status(11)], [
    "not-applicable",
    "pass",
    "fail",
    "report",
  ]);
  assertEquals([status(13, "2022-03-01"), status(13, "2022-02-28"), status(17, "2026-03-01")], [
    "pass",
    "fail",
    "pass",
  ]);
});

Deno.test("what must be run is told by the claim and the newest version", () => {
  const driver = { devices: [deviceThat({ apiVersion: 0x404000 })], instanceVersion: 0x404000 };
  const found = (deqpLevel?: number) => judgeDriver([CONFORMANCE_RULE], phone({ driver, deqpLevel }))[0].found;
  assert(found().includes("all lists") && found().includes("1.0 to 1.4"), found());
  assert(found(encodeDeqpLevel("2023-03-01")).includes("up to 2023-03-01"));
});

Deno.test("a GPU needs OpenGL ES 3.1, if somebody says which it has", () => {
  const status = (glesVersion?: [number, number]) =>
    judgeDriver(DEVICE_RULES.filter(({ rule }) => rule === "vulkan.gles"), phone({ glesVersion }))[0].status;
  assertEquals([status(), status([3, 0]), status([3, 1]), status([3, 2]), status([2, 0])], [
    "report",
    "fail",
    "pass",
    "pass",
    "fail",
  ]);
});

Deno.test("a driver of CPUs alone is told what it has and judged by what CTS asks of it", () => {
  const [level] = judgeDevice(HARDWARE_RULES, featuring(LEVEL_0), phone({ cpuOnly: true }));
  assertEquals(level.status, "not-applicable");
  assert(
    level.found.startsWith("level 0") && level.found.endsWith("CTS does not test drivers that have only CPUs"),
    level.found,
  );
  const miss = {
    profile: "VP_ANDROID_baseline_2021",
    capability: "baseline",
    alternatives: [],
    wanted: "1",
    found: "none",
  };
  const verdict = (name: string, around: Partial<Circumstances>) =>
    profileVerdict({
      name: miss.profile,
      version: 1,
      supported: false,
      asked: 9,
      optionals: [],
      misses: [{ ...miss, kind: "extension", name }],
    }, phone(around)).status;
  const status = (
    name: string,
  ) => [verdict(name, {}), verdict(name, { cpuOnly: true }), verdict(name, { release: 13 })];
  assertEquals(status("VK_KHR_variable_pointers"), ["fail", "pass", "report"]);
  assertEquals(status("VK_KHR_surface"), ["fail", "report", "report"]);
});

Deno.test("holds() reads the registry's conditions", () => {
  const device = deviceThat({ apiVersion: 0x401000, extensions: { VK_KHR_a: 1 } });
  const cases: Record<string, boolean> = {
    VK_VERSION_1_1: true,
    VK_VERSION_1_2: false,
    VK_KHR_a: true,
    VK_KHR_b: false,
    "VK_KHR_a+VK_VERSION_1_1": true,
    "VK_KHR_a+VK_KHR_b": false,
    "VK_KHR_b,VK_VERSION_1_1": true,
    "(VK_KHR_b,VK_KHR_a)+VK_VERSION_1_1": true,
    "VK_KHR_a+(VK_KHR_b,VK_VERSION_1_2)": false,
    "VkPhysicalDeviceFeatures::x+VK_KHR_a": true,
  };
  for (const [condition, value] of Object.entries(cases)) assertEquals(holds(condition, device), value, condition);
});
