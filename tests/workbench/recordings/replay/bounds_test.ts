import { assertEquals, assertThrows } from "@std/assert";
import { RecordingError } from "../../../../workbench/layers.ts";
import { checkStream } from "../../../../workbench/recordings/replay/check.ts";
import type { RecordedLine } from "../../../../workbench/recordings/record/line.ts";

const DEVICE = { device: "VkDevice#1" }, COMMANDS = { commandBuffer: "VkCommandBuffer#1" };
const WHOLE = "18446744073709551615", LAYERS = { aspectMask: 1, mipLevel: 0, baseArrayLayer: 0, layerCount: 1 };

function call(command: string, args: object, out?: object): RecordedLine {
  return { command, args, ...out && { out } } as RecordedLine;
}

function buffer(number: number, size: number): RecordedLine[] {
  const name = `VkBuffer#${number}`, memory = `VkDeviceMemory#${number}`;
  return [
    call("vkCreateBuffer", { ...DEVICE, pCreateInfo: { size, usage: 3 } }, { pBuffer: name }),
    call("vkAllocateMemory", { ...DEVICE, pAllocateInfo: { allocationSize: size, memoryTypeIndex: 0 } }, {
      pMemory: memory,
    }),
    call("vkBindBufferMemory", { ...DEVICE, buffer: name, memory, memoryOffset: 0 }),
  ];
}

/** An image of 8 by 4 texels of four bytes, with two levels and two layers, that is bound to the memory of buffer 1. */
const IMAGE: readonly RecordedLine[] = [
  call("vkCreateImage", {
    ...DEVICE,
    pCreateInfo: {
      imageType: 1,
      format: 37,
      extent: { width: 8, height: 4, depth: 1 },
      mipLevels: 2,
      arrayLayers: 2,
      samples: 1,
      usage: 3,
    },
  }, { pImage: "VkImage#1" }),
  call("vkBindImageMemory", { ...DEVICE, image: "VkImage#1", memory: "VkDeviceMemory#1", memoryOffset: 0 }),
];

const DYNAMIC = 8, STORAGE = 7;

/** A set with two storage buffers and a dynamic uniform buffer, and its pipeline layout. */
const SET: readonly RecordedLine[] = [
  call("vkCreateDescriptorSetLayout", {
    ...DEVICE,
    pCreateInfo: {
      pBindings: [
        { binding: 0, descriptorType: STORAGE, descriptorCount: 2, stageFlags: 32 },
        { binding: 3, descriptorType: DYNAMIC, descriptorCount: 1, stageFlags: 32 },
      ],
    },
  }, { pSetLayout: "VkDescriptorSetLayout#1" }),
  call("vkCreatePipelineLayout", {
    ...DEVICE,
    pCreateInfo: {
      pSetLayouts: ["VkDescriptorSetLayout#1"],
      pPushConstantRanges: [{ stageFlags: 32, offset: 0, size: 8 }],
    },
  }, { pPipelineLayout: "VkPipelineLayout#1" }),
  call("vkCreateDescriptorPool", {
    ...DEVICE,
    pCreateInfo: { maxSets: 1, pPoolSizes: [{ type: STORAGE, descriptorCount: 2 }] },
  }, {
    pDescriptorPool: "VkDescriptorPool#1",
  }),
  call("vkAllocateDescriptorSets", {
    ...DEVICE,
    pAllocateInfo: { descriptorPool: "VkDescriptorPool#1", pSetLayouts: ["VkDescriptorSetLayout#1"] },
  }, { pDescriptorSets: ["VkDescriptorSet#1"] }),
];

const BEGUN: readonly RecordedLine[] = [
  call("vkCreateInstance", { pCreateInfo: {} }, { pInstance: "VkInstance#1" }),
  call("vkCreateDevice", {
    physicalDevice: "VkPhysicalDevice#1",
    pCreateInfo: { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] },
  }, {
    pDevice: "VkDevice#1",
  }),
  ...buffer(1, 1024),
  ...buffer(2, 64),
  ...IMAGE,
  ...SET,
  call("vkCreateQueryPool", { ...DEVICE, pCreateInfo: { queryType: 0, queryCount: 4 } }, {
    pQueryPool: "VkQueryPool#1",
  }),
  call("vkCreateCommandPool", { ...DEVICE, pCreateInfo: { queueFamilyIndex: 0 } }, { pCommandPool: "VkCommandPool#1" }),
  call("vkAllocateCommandBuffers", {
    ...DEVICE,
    pAllocateInfo: { commandPool: "VkCommandPool#1", level: 0, commandBufferCount: 1 },
  }, {
    pCommandBuffers: ["VkCommandBuffer#1"],
  }),
  call("vkBeginCommandBuffer", { ...COMMANDS, pBeginInfo: {} }),
];

const fill = (dstOffset: unknown, size: unknown) =>
  call("vkCmdFillBuffer", { ...COMMANDS, dstBuffer: "VkBuffer#2", dstOffset, size, data: 0 });
const copy = (srcOffset: unknown, size: unknown) =>
  call("vkCmdCopyBuffer", {
    ...COMMANDS,
    srcBuffer: "VkBuffer#1",
    dstBuffer: "VkBuffer#2",
    pRegions: [{ srcOffset, dstOffset: 0, size }],
  });
const upload = (width: number, more: object, imageOffset = { x: 0, y: 0, z: 0 }) =>
  call("vkCmdCopyBufferToImage", {
    ...COMMANDS,
    srcBuffer: "VkBuffer#2",
    dstImage: "VkImage#1",
    dstImageLayout: 7,
    pRegions: [{
      bufferOffset: 0,
      imageSubresource: { ...LAYERS, ...more },
      imageOffset,
      imageExtent: { width, height: 1, depth: 1 },
    }],
  });
const clear = (range: object) =>
  call("vkCmdClearColorImage", {
    ...COMMANDS,
    image: "VkImage#1",
    imageLayout: 7,
    pColor: { float32: [0, 0, 0, 0] },
    pRanges: [{ aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1, ...range }],
  });
const write = (dstBinding: number, descriptorType: number, count: number, range: unknown = WHOLE) =>
  call("vkUpdateDescriptorSets", {
    ...DEVICE,
    pDescriptorWrites: [{
      dstSet: "VkDescriptorSet#1",
      dstBinding,
      dstArrayElement: 0,
      descriptorType,
      pBufferInfo: Array(count).fill({ buffer: "VkBuffer#2", offset: 0, range }),
    }],
    pDescriptorCopies: [],
  });
const bind = (...pDynamicOffsets: number[]) =>
  call("vkCmdBindDescriptorSets", {
    ...COMMANDS,
    pipelineBindPoint: 1,
    layout: "VkPipelineLayout#1",
    firstSet: 0,
    pDescriptorSets: ["VkDescriptorSet#1"],
    pDynamicOffsets,
  });
const push = (offset: number, bytes: string) =>
  call("vkCmdPushConstants", { ...COMMANDS, layout: "VkPipelineLayout#1", stageFlags: 32, offset, pValues: { bytes } });
const reset = (firstQuery: number, queryCount: number) =>
  call("vkCmdResetQueryPool", { ...COMMANDS, queryPool: "VkQueryPool#1", firstQuery, queryCount });
const free = call("vkFreeMemory", { ...DEVICE, memory: "VkDeviceMemory#2" });

/** Lines that ask for all that there is, and lines that ask for one more, with words of the refusal. */
const CASES:
  readonly (readonly [name: string, good: readonly RecordedLine[], bad: readonly RecordedLine[], words: string])[] = [
    ["a fill", [fill(0, 64), fill(60, WHOLE)], [fill(4, 64)], "VkBuffer#2 has 64 bytes, and 64 at 4 are asked for"],
    ["a fill of two to the 31st", [], [fill(2 ** 31, 4)], "and 4 at 2147483648"],
    ["a fill at -1", [], [fill(-1, 4)], "and 4 at 18446744073709551615"],
    ["a copy", [copy(960, 64)], [copy(961, 64)], "VkBuffer#1 has 1024 bytes"],
    ["a copy to what is too small", [], [copy(0, "65")], "VkBuffer#2 has 64 bytes"],
    [
      "an upload",
      [upload(8, { layerCount: 2 }), upload(4, { mipLevel: 1 })],
      [upload(5, { mipLevel: 1 })],
      "level 1 of VkImage#1 has a width of 4",
    ],
    ["an upload below zero", [], [upload(1, {}, { x: 0, y: -1, z: 0 })], "a height of 4, and 1 from -1 on"],
    [
      "an upload of more than the buffer has",
      [],
      [upload(8, { layerCount: 3, baseArrayLayer: 0 })],
      "VkImage#1 has 2 layers, and 3 from 0 on",
    ],
    [
      "a clear",
      [clear({ levelCount: 2, layerCount: 4294967295 })],
      [clear({ baseMipLevel: 1, levelCount: 2 })],
      "VkImage#1 has 2 levels",
    ],
    ["a write of descriptors", [write(0, STORAGE, 2)], [write(0, STORAGE, 4)], "3 descriptors, and 4 from 0 on"],
    ["a write of another type", [], [write(3, STORAGE, 1)], "is of VkDescriptorType 8, not 7"],
    ["a write to no binding", [], [write(1, STORAGE, 1)], "has no binding 1"],
    ["a descriptor's range", [write(0, STORAGE, 1, 64)], [write(0, STORAGE, 1, 65)], "VkBuffer#2 has 64 bytes"],
    [
      "a dynamic offset",
      [write(3, DYNAMIC, 1, 32), bind(32)],
      [write(3, DYNAMIC, 1, 32), bind(33)],
      "VkBuffer#2 has 64 bytes, and 32 at 33",
    ],
    ["dynamic offsets", [bind(0)], [bind()], "have 1 dynamic descriptors, and pDynamicOffsets has 0"],
    ["push constants", [push(0, "00000000")], [push(8, "00000000")], "has 8 bytes of push constants, and 4 from 8 on"],
    ["queries", [reset(0, 4)], [reset(1, 4)], "VkQueryPool#1 has 4 queries, and 4 from 1 on"],
    ["a buffer whose memory was freed", [fill(0, 64), free], [free, fill(0, 64)], "VkBuffer#2 has no memory yet"],
    ["the end of no pass", [], [call("vkCmdEndRenderPass", COMMANDS)], "has begun no pass"],
  ];

for (const [name, good, bad, words] of CASES) {
  Deno.test(`a replay refuses ${name} beyond what there is, with the line, and takes all that there is`, () => {
    checkStream({ lines: [...BEGUN, ...good], data: () => new Uint8Array() });
    const lines = [...BEGUN, ...bad];
    const error = assertThrows(() => checkStream({ lines, data: () => new Uint8Array() }), RecordingError, words);
    assertEquals(error.line, lines.length + 1);
  });
}
