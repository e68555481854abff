import { NativeBlock } from "../../ffi/block.ts";
import { inFrame } from "../../ffi/arena.ts";
import { copyMemory } from "../../ffi/machine.ts";
import { codec } from "../../loader/codec/codec.ts";
import type { Work } from "../measure.ts";
import { ATTACHMENT, DRAWS, FRAGMENT, type FrameScene, PASSES, SETS, SIZE, SLICE, UNIFORM } from "./scene.ts";

/** Places in a raw frame's memory: structs are written once, colours for each draw. */
const AT = {
  begin: 0,
  submit: 64,
  pass: 192,
  barrier: 320,
  color: 448,
  offset: 480,
  fence: 488,
  commands: 496,
  buffer: 504,
};
const SETS_AT = 1024, INFOS_AT = 2048, WRITES_AT = 4096, WRITE = 64;
const FOREVER = 2n ** 64n - 1n;

/** The frame as a hot loop is written: raw commands, and structs that are in memory already. */
export function rawFrame(scene: FrameScene): Work {
  const { address, view } = prepared(scene), { raw } = scene.device;
  const device = scene.device.handle, queue = scene.queue.handle, commands = scene.commands.handle;
  const { pipelines, layout, fence } = scene, at = (offset: number) => address + BigInt(offset);
  const begin = at(AT.begin), submit = at(AT.submit), pass = at(AT.pass), barrier = at(AT.barrier);
  const color = at(AT.color), offset = at(AT.offset), fenceAt = at(AT.fence), buffer = at(AT.buffer);
  const sets = Array.from({ length: SETS }, (_, index) => at(SETS_AT + 8 * index));
  const writes = Array.from({ length: SETS }, (_, index) => at(WRITES_AT + WRITE * index));
  [0.5, 0.25, 1].forEach((value, index) => view.setFloat32(AT.color + 4 + 4 * index, value, true));

  function recordPass(first: number): void {
    raw.vkCmdPipelineBarrier(commands, 0x400, 0x400, 0, 0, 0n, 0, 0n, 1, barrier);
    raw.vkCmdBeginRenderPass(commands, pass, 0);
    for (let i = first; i < first + DRAWS; i++) {
      view.setFloat32(AT.color, i / 1000, true);
      raw.vkCmdBindPipeline(commands, 0, pipelines[i & 1]);
      raw.vkCmdBindDescriptorSets(commands, 0, layout, 0, 1, sets[i % SETS], 0, 0n);
      raw.vkCmdBindVertexBuffers(commands, 0, 1, buffer, offset);
      raw.vkCmdPushConstants(commands, layout, FRAGMENT, 0, 16, color);
      raw.vkCmdDraw(commands, 3, 1, 0, 0);
    }
    raw.vkCmdEndRenderPass(commands);
  }
  return (times) => {
    for (let frame = 0; frame < times; frame++) {
      for (let i = 0; i < SETS; i++) raw.vkUpdateDescriptorSets(device, 1, writes[i], 0, 0n);
      raw.vkBeginCommandBuffer(commands, begin);
      for (let pass = 0; pass < PASSES; pass++) recordPass(DRAWS * pass);
      raw.vkEndCommandBuffer(commands);
      raw.vkQueueSubmit(queue, 1, submit, fence);
      raw.vkWaitForFences(device, 1, fenceAt, 1, FOREVER);
      raw.vkResetFences(device, 1, fenceAt);
    }
  };
}

/** The structs, encoded once; pointers in them lead into the same memory, which is freed with the process. */
function prepared(scene: FrameScene): NativeBlock {
  const block = new NativeBlock(WRITES_AT + WRITE * SETS), { address, view } = block;
  const put = (name: string, value: Record<string, unknown>, at: number) => {
    inFrame((memory) => {
      const { size, encode } = codec(name), from = memory.alloc(size);
      encode(value, from);
      copyMemory(address + BigInt(at), memory.address(from), size);
    });
  };
  const { renderPass, framebuffer, image, buffer, sets, commands, fence } = scene;
  put("VkCommandBufferBeginInfo", {}, AT.begin);
  put("VkSubmitInfo", { pCommandBuffers: [commands] }, AT.submit);
  view.setBigUint64(AT.submit + 48, address + BigInt(AT.commands), true); // pCommandBuffers
  const renderArea = { offset: { x: 0, y: 0 }, extent: { width: SIZE, height: SIZE } };
  put("VkRenderPassBeginInfo", { renderPass, framebuffer, renderArea }, AT.pass);
  put("VkImageMemoryBarrier", {
    srcAccessMask: 0x100,
    dstAccessMask: 0x100,
    newLayout: ATTACHMENT,
    srcQueueFamilyIndex: 0xffffffff,
    dstQueueFamilyIndex: 0xffffffff,
    image,
    subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1 },
  }, AT.barrier);
  view.setBigUint64(AT.fence, BigInt(fence), true);
  view.setBigUint64(AT.commands, commands.handle, true);
  view.setBigUint64(AT.buffer, BigInt(buffer), true);
  sets.forEach((dstSet, index) => {
    view.setBigUint64(SETS_AT + 8 * index, BigInt(dstSet), true);
    const info = INFOS_AT + 24 * index;
    put("VkDescriptorBufferInfo", { buffer, offset: BigInt(SLICE * index), range: BigInt(SLICE) }, info);
    put("VkWriteDescriptorSet", { dstSet, descriptorCount: 1, descriptorType: UNIFORM }, WRITES_AT + WRITE * index);
    view.setBigUint64(WRITES_AT + WRITE * index + 48, address + BigInt(info), true); // pBufferInfo
  });
  return block;
}
