import { assertEquals, assertThrows } from "@std/assert";
import { inFrame } from "../../../ffi/arena.ts";
import { codec } from "../../../loader/codec/codec.ts";
import type * as vk from "../../../loader/types.ts";
import { spyOn, wordsAt } from "../spy.ts";
import { NEEDS_TINY } from "../tiny.ts";

const SET = { descriptorCount: 0, descriptorType: 6 };
// deno-lint-ignore no-sparse-arrays -- what is tested
const SPARSE = [1, , 3] as number[];

Deno.test("an array's element that is not there is refused in parameters", NEEDS_TINY, () => {
  const fences: vk.VkFence[] = [5n as vk.VkFence];
  const seen = spyOn("vkWaitForFences", (device, commands) => {
    const wait = (items: unknown) => () => device.vkWaitForFences(items as vk.VkFence[], true, 1n);
    assertThrows(wait([fences[1]]), TypeError, "vkWaitForFences: pFences[0]: expected an element, found undefined");
    assertThrows(wait([fences[0], undefined]), TypeError, "pFences[1]");
    assertThrows(wait(new Array(2)), TypeError, "pFences[0]");
    assertThrows(wait({ length: 1 }), TypeError, "pFences[0]");
    assertThrows(wait({ length: 1.5, 0: 5n, 1: 6n }), TypeError, "expected an array to count");
    assertThrows(wait({ length: -1 }), TypeError, "expected an array to count");
    const offsets = () => commands.vkCmdBindDescriptorSets(0, 5n as never, 0, [6n as never], SPARSE);
    assertThrows(offsets, TypeError, "pDynamicOffsets[1]");
    assertThrows(() => commands.vkCmdSetBlendConstants([1, , 3, 4] as never), TypeError, "blendConstants[1]");
    assertThrows(() => commands.vkCmdPipelineBarrier(1, 1, 0, [], [undefined as never], []), TypeError, "[0]");
    wait(fences)();
  }, (_device, count) => count);
  assertEquals(seen, [1]);
});

Deno.test("an array's element that is not there is refused in structs", () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ["VkSubmitInfo", { pCommandBuffers: [undefined] }, "pCommandBuffers[0]"],
    ["VkSubmitInfo", { pSignalSemaphores: [1n, undefined] }, "pSignalSemaphores[1]"],
    ["VkSubmitInfo2", { pWaitSemaphoreInfos: [undefined] }, "pWaitSemaphoreInfos[0]"],
    ["VkDescriptorSetAllocateInfo", { descriptorPool: 1n, pSetLayouts: new Array(1) }, "pSetLayouts[0]"],
    ["VkFramebufferCreateInfo", { renderPass: 1n, pAttachments: [undefined] }, "pAttachments[0]"],
    ["VkDeviceQueueCreateInfo", { pQueuePriorities: [1, undefined] }, "pQueuePriorities[1]"],
    ["VkInstanceCreateInfo", { ppEnabledLayerNames: ["a", undefined] }, "ppEnabledLayerNames[1]"],
    ["VkWriteDescriptorSet", { dstSet: 1n, ...SET, pTexelBufferView: [undefined] }, "pTexelBufferView[0]"],
    ["VkShaderModuleCreateInfo", { codeSize: 12, pCode: SPARSE }, "pCode"],
    ["VkPipelineColorBlendStateCreateInfo", { blendConstants: SPARSE }, "blendConstants[1]"],
    ["VkSubmitInfo", { commandBufferCount: 1, pCommandBuffers: { length: 1.5, 0: 1n } }, "pCommandBuffers"],
  ];
  for (const [name, object, place] of cases) {
    const { size, encode } = codec(name);
    inFrame((memory) => assertThrows(() => encode(object, memory.alloc(size)), TypeError, `${name}.${place}`));
  }
});

Deno.test("a handle that is said to be undefined is refused where the registry wants one, and absent elsewhere", () => {
  const sets: bigint[] = [];
  const cases: [string, Record<string, unknown>, string][] = [
    ["VkWriteDescriptorSet", { dstSet: sets[1], ...SET }, "dstSet"],
    ["VkBindImageMemoryInfo", { image: 1n, memory: undefined }, "memory"],
    ["VkCommandBufferSubmitInfo", { commandBuffer: undefined }, "commandBuffer"],
  ];
  for (const [name, object, member] of cases) {
    const { size, encode } = codec(name);
    inFrame((memory) => assertThrows(() => encode(object, memory.alloc(size)), TypeError, `${name}.${member}`));
  }
  const none: [string, Record<string, unknown>][] = [
    ["VkDescriptorImageInfo", { sampler: undefined, imageView: 1n }],
    ["VkDescriptorImageInfo", { sampler: null, imageView: 1n }],
    ["VkDescriptorBufferInfo", { buffer: undefined }],
    ["VkCommandBufferInheritanceInfo", { renderPass: undefined, framebuffer: undefined }],
    ["VkMemoryDedicatedAllocateInfo", { image: undefined, buffer: 1n }],
  ];
  for (const [name, object] of none) {
    const { size, encode } = codec(name);
    inFrame((memory) => encode(object, memory.alloc(size)));
  }
});

Deno.test("an array must be as long as other arguments say, by an expression too", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdSetSampleMaskEXT", (_device, commands) => {
    const mask = (samples: number, words: number[]) => () => commands.vkCmdSetSampleMaskEXT(samples, words);
    assertThrows(mask(64, [1]), TypeError, "pSampleMask: expected at least 2 elements, as another argument says");
    assertThrows(mask(1, []), TypeError, "expected at least 1 elements");
    mask(64, [1, 2])();
    mask(32, [3])();
  }, (_commands, samples, words) => wordsAt(words, samples / 32));
  assertEquals(seen, [[1, 2], [3]]);
});

Deno.test("arrays of arrays must be as long as the structs beside them say", NEEDS_TINY, () => {
  const geometry = { geometryType: 2, geometry: { instances: { data: { deviceAddress: 0n } } } };
  const info = { type: 0, mode: 0, scratchData: { deviceAddress: 0n }, pGeometries: [geometry, geometry] };
  const range = { primitiveCount: 1, primitiveOffset: 0, firstVertex: 0, transformOffset: 0 };
  spyOn("vkCmdBuildAccelerationStructuresKHR", (device, commands) => {
    const build = (ranges: unknown[][]) => () =>
      commands.vkCmdBuildAccelerationStructuresKHR([info as never], ranges as never);
    assertThrows(build([[range]]), TypeError, "ppBuildRangeInfos: expected at least 2 elements");
    assertThrows(build([[range, undefined]]), TypeError, "ppBuildRangeInfos[1]");
    assertThrows(build([undefined as never]), TypeError, "ppBuildRangeInfos[0]");
    build([[range, range]])();
    const sizes = () => device.vkGetAccelerationStructureBuildSizesKHR(0, info as never, [1]);
    assertThrows(sizes, TypeError, "pMaxPrimitiveCounts: expected at least 2 elements");
    const draw = () => commands.vkCmdDrawMultiIndexedEXT([], 1, 0, 4, []);
    assertThrows(draw, TypeError, "pVertexOffset: expected at least 1 elements");
  }, () => 0);
});

Deno.test("an array that changes while a call is being prepared is counted once", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdPipelineBarrier", (_device, commands) => {
    const barriers: vk.VkMemoryBarrier[] = [];
    const barrier = {
      sType: 46 as const,
      get srcAccessMask() {
        if (barriers.length < 50) barriers.push(barrier);
        return 1;
      },
    };
    barriers.push(barrier);
    commands.vkCmdPipelineBarrier(1, 1, 0, barriers, [], []);
    let reads = 0;
    const growing = new Proxy<vk.VkMemoryBarrier[]>([{ sType: 46 }], {
      get: (items, key) => key === "length" ? ++reads : items[0],
    });
    commands.vkCmdPipelineBarrier(1, 1, 0, growing, [], []);
    assertEquals(reads, 1);
  }, (_commands, _from, _to, _flags, count, barriers) => [count, wordsAt(barriers, 1)[0]]);
  assertEquals(seen, [[1, 46], [1, 46]]);
});
