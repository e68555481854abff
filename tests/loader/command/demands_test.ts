import { assertEquals, assertThrows } from "@std/assert";
import type { VkDevice, VkPhysicalDevice } from "../../../loader/types.ts";
import { runProgram } from "../../support/subprocess.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { openDevice } from "../../support/device.ts";
import { spyOn } from "../spy.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";

/** Plain JavaScript, which no type holds back. */
type Loose = Record<string, (...args: unknown[]) => unknown>;
const loose = (object: VkDevice | VkPhysicalDevice) => object as unknown as Loose;

const LAYOUT = 5n, STAGE = { stage: 1, module: 6n, pName: "main" };
const EXTENT = { width: 8, height: 4, depth: 1 };
const STATES = { pVertexInputState: {}, pInputAssemblyState: { topology: 3 }, pRasterizationState: { lineWidth: 1 } };
const SHOWN = { pViewportState: {}, pMultisampleState: { rasterizationSamples: 1 } };

Deno.test("vkCreateImage() wants as many levels as the extent can have", NEEDS_TINY, () => {
  const seen = spyOn("vkCreateImage", (device) => {
    const create = (mipLevels: unknown) => () => loose(device).vkCreateImage({ extent: EXTENT, mipLevels });
    const found = "vkCreateImage: pCreateInfo.mipLevels: expected 1 to 4 for an extent of 8x4x1, found";
    assertThrows(create(undefined), TypeError, `${found} 0`);
    assertThrows(create(5), TypeError, `${found} 5`);
    create(4)();
  }, () => 0);
  assertEquals(seen, [0]);
});

Deno.test("vkGetDeviceImageMemoryRequirements() wants the same of the image that it asks about", NEEDS_TINY, () => {
  for (const name of ["vkGetDeviceImageMemoryRequirements", "vkGetDeviceImageMemoryRequirementsKHR"] as const) {
    spyOn(name, (device) => {
      const ask = () => loose(device)[name]({ pCreateInfo: { extent: EXTENT } });
      assertThrows(ask, TypeError, `${name}: pInfo.pCreateInfo.mipLevels: expected 1 to 4`);
    }, () => 0);
  }
});

Deno.test("vkCreateGraphicsPipelines() wants the states that drivers read", NEEDS_TINY, () => {
  const seen = spyOn("vkCreateGraphicsPipelines", (device) => {
    const create = (info: object) => () =>
      loose(device).vkCreateGraphicsPipelines(null, [{ layout: LAYOUT, renderPass: 7n, pStages: [STAGE], ...info }]);
    const lacks = (name: string, info: object) =>
      assertThrows(create(info), TypeError, `vkCreateGraphicsPipelines: pCreateInfos.${name} is required here`);
    lacks("pStages", { pStages: undefined, ...STATES, ...SHOWN });
    for (const name of Object.keys({ ...STATES, ...SHOWN })) lacks(name, { ...STATES, ...SHOWN, [name]: null });
    create({ ...STATES, ...SHOWN })();
    create({ ...STATES, pRasterizationState: { lineWidth: 1, rasterizerDiscardEnable: true } })();
    create({ pDynamicState: { pDynamicStates: [1_000_267_002] } })();
    create({ pStages: null, pNext: [{ sType: 1_000_290_000, pLibraries: [9n] }] })();
  }, () => 0);
  assertEquals(seen.length, 4);
});

Deno.test("vkUpdateDescriptorSets() wants the set, which a push of descriptors leaves out", NEEDS_TINY, () => {
  const write = { descriptorType: 6, pBufferInfo: [{ buffer: 5n, range: 4n }] };
  const seen = spyOn("vkUpdateDescriptorSets", (device) => {
    const update = (...sets: unknown[]) => () =>
      loose(device).vkUpdateDescriptorSets(sets.map((dstSet) => ({ ...write, dstSet })), []);
    assertThrows(update(3n, null), TypeError, "vkUpdateDescriptorSets: pDescriptorWrites.dstSet is required here");
    update(3n, 4n)();
  }, () => 0);
  assertEquals(seen, [0]);
});

Deno.test("vkCreateDevice() wants a queue, but for a driver that needs none", NEEDS_TINY, () => {
  using opened = openDevice({ driver: TINY! });
  const gpu = loose(opened.gpu);
  for (const info of [{}, { pQueueCreateInfos: [] }]) {
    assertThrows(() => gpu.vkCreateDevice(info), TypeError, "pQueueCreateInfos: expected at least one queue family");
  }
  const unknown = () => gpu.vkCreateDevice({ ppEnabledExtensionNames: ["VK_KHR_maintenance9"] });
  assertThrows(unknown, Error, "VK_ERROR_EXTENSION_NOT_PRESENT");
});

for (const [name, driver] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  Deno.test(`calls that kill a driver throw before the driver hears of them (${name})`, needs(name, driver), () => {
    const { code, stdout, stderr } = runProgram("tests/loader/command/programs/deadly_calls.ts", [driver!]);
    assertEquals([code, code && stderr], [0, 0]);
    assertEquals(stdout.trim().split("\n"), Array(8).fill("TypeError"));
  });
}
