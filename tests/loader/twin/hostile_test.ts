import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { loadVulkan } from "../../../loader/mod.ts";
import { combineModels } from "../../../loader/twin/combine_models.ts";
import { profileFileOf } from "../../../loader/twin/write_profile.ts";
import { readSource } from "../../../loader/twin/read_source.ts";
import { vkjsonOf } from "../../../loader/twin/write_vkjson.ts";
import { vkjson } from "../../../loader/vkjson/vkjson.ts";
import * as vk from "../../../loader/vk.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { deviceTwin } from "../../../workbench/layers.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
// deno-lint-ignore no-explicit-any -- a report is edited
type Json = any;

const LIMIT = "VkPhysicalDeviceLimits", MEMORY = "VkPhysicalDeviceMemoryProperties";
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

/** Texts that are no description of a device, and the words of the refusal. */
const REFUSED: readonly (readonly [text: string, words: string])[] = [
  ["", "it is empty"],
  [" \n", "it is empty"],
  ["null", "it is no object"],
  ["5", "it is no object"],
  ["[]", "it is no object"],
  ["{}", "it has no devices"],
  ['{"devices":[]}', "it has 0; give a smaller index"],
  ['{"devices":[null]}', "it is no object"],
  ['{"devices":[{}]}', 'it has no object "properties"'],
  ['{"devices":[{"properties":[]}]}', 'it has no object "properties"'],
  ['{"devices":[{"properties":{"limits":{"maxViewports":NaN}}}]}', "is not valid JSON"],
  ['{"devices":[{"properties":{"deviceName":"A', "Unterminated string in JSON at position 42"],
  [nested(100_000), "nested too deeply"],
  [`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "nested too deeply"],
  ['{"profiles":{},"capabilities":{}}', "it has none; give another file"],
  ['{"profiles":{"a":5},"capabilities":{"b":6}}', "capability b is no object"],
];

Deno.test("a file that is no description of a device is refused with what was found and where", () =>
  withFolder((folder) => {
    const path = `${folder}/source.json`;
    for (const [text, words] of REFUSED) {
      Deno.writeTextFileSync(path, text);
      const { message } = assertThrows(() => readSource(path), TypeError);
      assertMatch(message, /^Cannot read /);
      assert(message.includes(words), `${message} for ${text.slice(0, 60)}`);
    }
    Deno.truncateSync(path, 100 * 1024 * 1024);
    assertThrows(() => readSource(path), TypeError, "it has 104857600 bytes, and a description has 67108864 at most");
  }));

type Change = (device: Json) => void;
const limits = (values: object): Change => ({ properties }) => Object.assign(properties.limits, values);

/** Changes of lavapipe's report that no device has, and what is noted as not understood. */
const CHANGES: readonly (readonly [change: Change, unread: readonly string[]])[] = [
  [limits({ maxViewports: 1e300, maxImageDimension2D: 2 ** 40 }), [
    `${LIMIT}.maxViewports`,
    `${LIMIT}.maxImageDimension2D`,
  ]],
  [limits({ maxViewports: -(2 ** 33) }), [`${LIMIT}.maxViewports`]],
  [limits({ maxViewports: -1 }), []], // reports write the largest number so
  [limits({ maxViewports: 4.29497e9, maxImageDimension2D: 12.5 }), []], // or rounded
  [limits({ maxSamplerLodBias: "NaN", maxViewports: "0x" }), [`${LIMIT}.maxSamplerLodBias`, `${LIMIT}.maxViewports`]],
  [limits({ maxComputeWorkGroupSize: [1] }), [`${LIMIT}.maxComputeWorkGroupSize`]],
  [limits({ maxComputeWorkGroupSize: [1, 2, 3, 4] }), [`${LIMIT}.maxComputeWorkGroupSize`]],
  [({ properties }) => properties.limits = "big", ["VkPhysicalDeviceProperties.limits"]],
  [({ properties }) => properties.deviceName = "<b>\u001b[31m\0", ["VkPhysicalDeviceProperties.deviceName"]],
  [({ properties }) => properties.deviceName = "<b>&amp;".repeat(100), []],
  [({ properties }) => properties.apiVersion = "1.3.0", ["VkPhysicalDeviceProperties.apiVersion"]],
  [({ properties }) => properties.pipelineCacheUUID = [...Array(15).fill(0), 300], [
    "VkPhysicalDeviceProperties.pipelineCacheUUID",
  ]],
  [(device) => device.features = null, ["VkPhysicalDeviceFeatures"]],
  [(device) => device.extensions = "none", ["VkExtensionProperties: a string is no list"]],
  [(device) => device.extensions.unshift(null, { extensionName: 5 }), [
    "VkExtensionProperties[0]",
    "VkExtensionProperties[1]",
  ]],
  [(device) => device.extensions.unshift({ extensionName: `VK_${"x".repeat(300)}` }), ["VkExtensionProperties[0]"]],
  [(device) => device.formats = {}, ["VkFormatProperties: an object is no list"]],
  [(device) => device.formats.unshift([37, 5], ["x", {}]), ["VkFormatProperties[0]", "VkFormatProperties[1]"]],
  [(device) => device.queues = 3, ["VkQueueFamilyProperties: a number is no list"]],
  [(device) => device.queues = Array(5000).fill(device.queues[0]), []],
  [(device) => device.memory = [], [MEMORY, MEMORY]],
  [({ memory }) => memory.memoryTypes[0].heapIndex = 77, [`${MEMORY}: memoryTypes[0] lies in none of 1 heaps`]],
  [({ memory }) => delete memory.memoryHeaps[0].size, [MEMORY]],
  [({ memory }) => memory.memoryTypes = Array(1000).fill(memory.memoryTypes[0]), [`${MEMORY}.memoryTypes`, MEMORY]],
  [({ memory }) => memory.memoryTypeCount = 4_000_000_000, []],
  [(device) => device.hidden = 1, ["hidden"]],
];

Deno.test("parts of a report that no device has are noted, and the twin of the rest runs", LAVAPIPE, () => {
  const driver = lavapipePath()!, own = vkjson({ driver });
  for (const [change, unread] of CHANGES) {
    const report = structuredClone(own) as Json;
    change(report.devices[0]);
    const model = readSource(report);
    assertEquals(model.unread.toSorted(), unread.toSorted());
    for (const other of [vkjsonOf(model), profileFileOf(model)]) assert(JSON.stringify(other).length > 1000);
    combineModels([model, readSource(own)], "common");
    const { layer } = deviceTwin(report, { strictness: "used" });
    using vulkan = loadVulkan({ driver, layers: [layer] });
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_1 } });
    using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    });
    device.vkFreeMemory(device.vkAllocateMemory({ allocationSize: 64n, memoryTypeIndex: 0 }));
  }
});

Deno.test(
  "a byte order mark, line ends of other systems and names of Object.prototype do no harm",
  LAVAPIPE,
  () =>
    withFolder((folder) => {
      const own = vkjson({ driver: lavapipePath()! }), path = `${folder}/source.json`, told = readSource(own);
      const text = JSON.stringify(own, null, 2).replace('"limits": {', '"limits": {"__proto__": {"x": 1},');
      Deno.writeTextFileSync(path, `\ufeff${text.replaceAll("\n", "\r\n")}`);
      const read = readSource(path);
      assertEquals(read.structs, told.structs);
      assertEquals(read.unread, ["VkPhysicalDeviceLimits.__proto__"]);
      assertEquals(({} as Json).x, undefined);
    }),
);
