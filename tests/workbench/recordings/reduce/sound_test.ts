import { assertEquals } from "@std/assert";
import { isSound } from "../../../../workbench/recordings/reduce/sound.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";

const at = (x: number, y: number, z: number) => ({ x, y, z });

/** A blit, as in Vulkan 1.0 or 1.3. */
function blit(srcOffsets: unknown[], isNew: boolean): RecordedLine[] {
  const pRegions = [{ srcOffsets, dstOffsets: [at(4, 0, 0), at(0, 1, 1)] }], commandBuffer = "VkCommandBuffer#1";
  return [
    { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: { flags: 0 } } },
    isNew
      ? { command: "vkCmdBlitImage2", args: { commandBuffer, pBlitImageInfo: { pRegions } } }
      : { command: "vkCmdBlitImage", args: { commandBuffer, pRegions } },
  ];
}

for (const isNew of [false, true]) {
  Deno.test(`isSound() refuses a blit of Vulkan 1.${isNew ? 3 : 0} without a width, height or depth`, () => {
    assertEquals(isSound(blit([at(2, 0, 0), at(0, 1, 1)], isNew)), true);
    for (const end of [at(2, 1, 1), at(0, 0, 1), at(0, 1, 0)]) {
      assertEquals(isSound(blit([at(2, 0, 0), end], isNew)), false, JSON.stringify(end));
    }
    assertEquals(isSound(blit([at(2, 0, 0)], isNew)), false, "one corner alone");
  });
}

const call = (command: string, args: object, out?: object) => ({ command, args, out }) as unknown as RecordedLine;
const BEGIN = call("vkBeginCommandBuffer", { commandBuffer: "VkCommandBuffer#1", pBeginInfo: { flags: 0 } });
const record = (command: string, args: object) => call(command, { commandBuffer: "VkCommandBuffer#1", ...args });

Deno.test("isSound() refuses a dispatch that reads a set that nobody pushed, if the set has bindings", () => {
  const made = (bindings: object[]) => [
    call("vkCreateDescriptorSetLayout", { pCreateInfo: { flags: 1, pBindings: bindings } }, { pSetLayout: "L#1" }),
    call("vkCreatePipelineLayout", { pCreateInfo: { pSetLayouts: ["L#1"] } }, { pPipelineLayout: "P#1" }),
    call("vkCreateComputePipelines", { pCreateInfos: [{ layout: "P#1" }] }, { pPipelines: ["VkPipeline#1"] }),
    BEGIN,
    record("vkCmdBindPipeline", { pipelineBindPoint: 1, pipeline: "VkPipeline#1" }),
  ];
  const dispatch = record("vkCmdDispatch", { groupCountX: 1 });
  assertEquals(isSound([...made([{}]), dispatch]), false);
  assertEquals(isSound([...made([]), dispatch]), true);
  const push = (pipelineBindPoint: number) =>
    record("vkCmdPushDescriptorSetKHR", { pipelineBindPoint, set: 0, pDescriptorWrites: [] });
  assertEquals(isSound([...made([{}]), push(1), dispatch]), true);
  assertEquals(isSound([...made([{}]), push(0), dispatch]), false, "pushed for draws");
  const gone = [
    call("vkDestroyDescriptorSetLayout", { descriptorSetLayout: "L#1" }),
    call("vkDestroyPipelineLayout", { pipelineLayout: "P#1" }),
  ];
  assertEquals(isSound([...made([{}]), ...gone, dispatch]), false, "a pipeline outlives its layouts");
});

Deno.test("isSound() refuses indices and descriptors beyond their buffers", () => {
  const buffer = call("vkCreateBuffer", { pCreateInfo: { size: "24" } }, { pBuffer: "VkBuffer#1" });
  const drawing = (indexCount: number, offset: string) => [
    buffer,
    BEGIN,
    record("vkCmdBeginRendering", { pRenderingInfo: {} }),
    record("vkCmdBindPipeline", { pipelineBindPoint: 0, pipeline: "VkPipeline#1" }),
    record("vkCmdBindIndexBuffer", { buffer: "VkBuffer#1", offset, indexType: 1 }),
    record("vkCmdDrawIndexed", { firstIndex: 0, indexCount }),
  ];
  assertEquals([isSound(drawing(6, "0")), isSound(drawing(6, "4")), isSound(drawing(7, "0"))], [true, false, false]);
  const writing = (offset: string, range: string) => {
    const pBufferInfo = [{ buffer: "VkBuffer#1", offset, range }];
    return [buffer, call("vkUpdateDescriptorSets", { pDescriptorWrites: [{ pBufferInfo }] })];
  };
  assertEquals(isSound(writing("8", "16")), true);
  assertEquals(isSound(writing("8", "18446744073709551615")), true);
  assertEquals(isSound(writing("12", "16")), false);
});

Deno.test("isSound() refuses the end of a pass that did not begin", () => {
  assertEquals(isSound([BEGIN, record("vkCmdEndRenderPass", {})]), false);
  assertEquals(isSound([BEGIN, record("vkCmdBeginRenderPass", {}), record("vkCmdEndRenderPass", {})]), true);
});
