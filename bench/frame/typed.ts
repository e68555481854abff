import type { Work } from "../measure.ts";
import { ATTACHMENT, DRAWS, FRAGMENT, type FrameScene, PASSES, SETS, SIZE, SLICE, UNIFORM } from "./scene.ts";

/** One for all draws: to make a typed array takes longer than to push it. */
const color = Float32Array.of(0, 0.5, 0.25, 1);

/** The frame as a script writes it: methods and object literals. */
export function typedFrame(scene: FrameScene): Work {
  const { device, queue, commands, fence } = scene;
  return (times) => {
    for (let i = 0; i < times; i++) {
      writeSets(scene);
      commands.vkBeginCommandBuffer({});
      for (let pass = 0; pass < PASSES; pass++) recordPass(scene, DRAWS * pass);
      commands.vkEndCommandBuffer();
      queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
      device.vkWaitForFences([fence], true, 2n ** 64n - 1n);
      device.vkResetFences([fence]);
    }
  };
}

function writeSets({ device, buffer, sets }: FrameScene): void {
  for (let i = 0; i < SETS; i++) {
    device.vkUpdateDescriptorSets([{
      dstSet: sets[i],
      descriptorCount: 1,
      descriptorType: UNIFORM,
      pBufferInfo: [{ buffer, offset: BigInt(SLICE * i), range: BigInt(SLICE) }],
    }], null);
  }
}

function recordPass(
  { commands, image, renderPass, framebuffer, pipelines, layout, sets, buffer }: FrameScene,
  first: number,
) {
  commands.vkCmdPipelineBarrier(0x400, 0x400, 0, null, null, [{
    srcAccessMask: 0x100,
    dstAccessMask: 0x100,
    oldLayout: 0,
    newLayout: ATTACHMENT,
    srcQueueFamilyIndex: 0xffffffff,
    dstQueueFamilyIndex: 0xffffffff,
    image,
    subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1 },
  }]);
  const renderArea = { offset: { x: 0, y: 0 }, extent: { width: SIZE, height: SIZE } };
  commands.vkCmdBeginRenderPass({ renderPass, framebuffer, renderArea }, 0);
  for (let i = first; i < first + DRAWS; i++) {
    color[0] = i / 1000;
    commands.vkCmdBindPipeline(0, pipelines[i & 1]);
    commands.vkCmdBindDescriptorSets(0, layout, 0, [sets[i % SETS]], null);
    commands.vkCmdBindVertexBuffers(0, [buffer], [0n]);
    commands.vkCmdPushConstants(layout, FRAGMENT, 0, color);
    commands.vkCmdDraw(3, 1, 0, 0);
  }
  commands.vkCmdEndRenderPass();
}
