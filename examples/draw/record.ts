import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_SHADER_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_INDEX_TYPE_UINT16,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
  VK_SUBPASS_CONTENTS_INLINE,
  type VkCommandBuffer,
  type VkImageLayout,
  type VkPipeline,
} from "@pumice/gfx/vk";
import { GLOW_SIZE, groupsFor } from "../scene/scene.ts";
import type { Bindings } from "./bindings.ts";
import type { Pass } from "./passes.ts";
import type { Pipelines } from "./pipelines.ts";
import type { Extent, Resources, Texture } from "./resources.ts";

/** Everything a frame is recorded from. */
export interface Parts {
  /** Buffers and images. */
  readonly resources: Resources;
  /** The resources that shaders see. */
  readonly bindings: Bindings;
  /** The pipelines that run. */
  readonly pipelines: Pipelines;
  /** The shadow map's pass. */
  readonly shadow: Pass;
  /** The world's pass. */
  readonly light: Pass;
  /** The picture's size. */
  readonly picture: Extent;
}

const SHADERS = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
const GRAPHICS_STAGES = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

/** Records the compute pass that makes the noise image, once before the first frame. */
export function recordRock(commands: VkCommandBuffer, { resources, bindings, pipelines }: Parts): void {
  const { rock } = resources.textures;
  toStorage(commands, rock);
  dispatch(commands, bindings, pipelines.rock, rock.extent);
  toSampled(commands, rock);
}

/** Records one frame: shadow, world, glow, picture. */
export function recordFrame(commands: VkCommandBuffer, parts: Parts): void {
  const { resources, bindings, pipelines, picture } = parts;
  recordShadow(commands, parts);
  recordLight(commands, parts);
  toStorage(commands, resources.textures.glow);
  dispatch(commands, bindings, pipelines.glow, GLOW_SIZE);
  toSampled(commands, resources.textures.glow);
  dispatch(commands, bindings, pipelines.develop, picture);
  commands.vkCmdPipelineBarrier(
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
    VK_PIPELINE_STAGE_HOST_BIT,
    0,
    [
      { srcAccessMask: VK_ACCESS_SHADER_WRITE_BIT, dstAccessMask: VK_ACCESS_HOST_READ_BIT },
    ],
    [],
    [],
  );
}

function recordShadow(commands: VkCommandBuffer, { resources, bindings, pipelines, shadow }: Parts): void {
  begin(commands, shadow, [{ depthStencil: { depth: 1, stencil: 0 } }]);
  bind(commands, bindings, pipelines.shadow);
  drawColumns(commands, resources);
  commands.vkCmdEndRenderPass();
}

/** The world, then its mirror image in the sea, then sky and sea behind both. */
function recordLight(commands: VkCommandBuffer, { resources, bindings, pipelines, light }: Parts): void {
  begin(commands, light, [{ color: { float32: [0, 0, 0, 0] } }, { depthStencil: { depth: 1, stencil: 0 } }]);
  bind(commands, bindings, pipelines.columns);
  for (const up of [1, -1]) {
    commands.vkCmdPushConstants(bindings.layout, GRAPHICS_STAGES, 0, new Float32Array([up]));
    drawColumns(commands, resources);
  }
  bind(commands, bindings, pipelines.backdrop);
  commands.vkCmdDraw(3, 1, 0, 0);
  commands.vkCmdEndRenderPass();
}

function begin(commands: VkCommandBuffer, { renderPass, framebuffer, extent }: Pass, pClearValues: object[]): void {
  const renderArea = { offset: { x: 0, y: 0 }, extent };
  commands.vkCmdBeginRenderPass({ renderPass, framebuffer, renderArea, pClearValues }, VK_SUBPASS_CONTENTS_INLINE);
}

function bind(commands: VkCommandBuffer, { set, layout }: Bindings, pipeline: VkPipeline): void {
  commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, [set], []);
}

function drawColumns(commands: VkCommandBuffer, { buffers, indexCount, instanceCount }: Resources): void {
  commands.vkCmdBindVertexBuffers(0, [buffers.vertices.buffer, buffers.instances.buffer], [0n, 0n]);
  commands.vkCmdBindIndexBuffer(buffers.indices.buffer, 0n, VK_INDEX_TYPE_UINT16);
  commands.vkCmdDrawIndexed(indexCount, instanceCount, 0, 0, 0);
}

function dispatch(commands: VkCommandBuffer, { set, layout }: Bindings, pipeline: VkPipeline, extent: Extent): void {
  commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
  commands.vkCmdDispatch(...groupsFor(extent.width, extent.height));
}

/** From whatever it was, contents and all, to an image compute shaders write. */
function toStorage(commands: VkCommandBuffer, texture: Texture): void {
  transition(commands, texture, [VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL], {
    stages: [VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | SHADERS, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT],
    access: [0, VK_ACCESS_SHADER_WRITE_BIT],
  });
}

/** From an image compute shaders wrote to one that all shaders sample. */
function toSampled(commands: VkCommandBuffer, texture: Texture): void {
  transition(commands, texture, [VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL], {
    stages: [VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, SHADERS],
    access: [VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT],
  });
}

function transition(
  commands: VkCommandBuffer,
  { image }: Texture,
  [oldLayout, newLayout]: [VkImageLayout, VkImageLayout],
  { stages, access }: { stages: [number, number]; access: [number, number] },
): void {
  commands.vkCmdPipelineBarrier(stages[0], stages[1], 0, [], [], [{
    srcAccessMask: access[0],
    dstAccessMask: access[1],
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 },
  }]);
}
