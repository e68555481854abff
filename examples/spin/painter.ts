import {
  VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
  VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_R32G32B32A32_SFLOAT,
  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
  VK_INDEX_TYPE_UINT16,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
  VK_SUBPASS_CONTENTS_INLINE,
  VK_VERTEX_INPUT_RATE_VERTEX,
  type VkColorSpaceKHR,
  type VkCommandBuffer,
  type VkFormat,
  type VkImage,
  type VkImageLayout,
  type VkPipelineLayout,
} from "@pumice/gfx/vk";
import { type Gpu, openScope } from "../draw/gpu.ts";
import { graphicsPipeline } from "../draw/pipelines.ts";
import { type Extent, filled, texture, viewOf } from "../draw/resources.ts";
import { bakeColumns, BAKED_STRIDE } from "./bake.ts";
import { canvasOf } from "./canvas.ts";
import { FRAME_BYTES, writeFrame } from "./frame.ts";
import { spinPass } from "./render_pass.ts";
import { islandFrag, islandVert, skyFrag, skyVert } from "./shaders_gen.ts";
import { spinningColumns } from "./world.ts";

/** Images to draw into, and how. */
export interface PaintTargets {
  /** Each is drawn by its index. */
  readonly images: readonly VkImage[];
  /** Their format; see canvas.ts for those that can be. */
  readonly format: VkFormat;
  /** The color space of the values. Default `VK_COLOR_SPACE_SRGB_NONLINEAR_KHR`. */
  readonly colorSpace?: VkColorSpaceKHR;
  /** Their size. */
  readonly extent: Extent;
  /** The layout they are left in; that of shared presentation they must have from the start. */
  readonly layout: VkImageLayout;
  /** Whether each frame carries its number in the upper left corner, see {@linkcode numberIn}. Default false. */
  readonly numbered?: boolean;
}

/** Draws the island into images. Frame `number` is the same picture whenever it is drawn. */
export interface Painter extends Disposable {
  /** Records all of a frame into a command buffer that was begun. */
  record(commands: VkCommandBuffer, image: number, number: number): void;
}

const STAGES = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
const ATTRIBUTE = { binding: 0, format: VK_FORMAT_R32G32B32A32_SFLOAT };
const INPUT = {
  pVertexBindingDescriptions: [{ binding: 0, stride: BAKED_STRIDE, inputRate: VK_VERTEX_INPUT_RATE_VERTEX }],
  pVertexAttributeDescriptions: [0, 1, 2].map((location) => ({ ...ATTRIBUTE, location, offset: 16 * location })),
};
const CLEARED = [{ color: { float32: [0, 0, 0, 1] } }, { depthStencil: { depth: 1, stencil: 0 } }];

/** Makes everything to draw the island with. It is gone with the painter; the images stay their owner's. */
export function makePainter(device: Gpu, targets: PaintTargets): Painter {
  const gpu = openScope(device), { extent, format, images } = targets;
  const { colorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR, numbered = false } = targets;
  const canvas = canvasOf(extent, format, colorSpace, numbered);
  const renderPass = spinPass(gpu, format, targets.layout), pass = { renderPass, extent };
  const framebuffers = makeFramebuffers(gpu, pass, images.map((image) => viewOf(gpu, image, format)));
  const island = bakeColumns(spinningColumns());
  const vertices = filled(gpu, island.vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  const indices = filled(gpu, island.indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  const layout = makeLayout(gpu), shared = { pass, depthWrite: true };
  const stone = graphicsPipeline(gpu, layout, {
    ...{ ...shared, input: INPUT },
    ...{ vertex: islandVert(), fragment: islandFrag() },
  });
  const sky = graphicsPipeline(gpu, layout, { ...shared, vertex: skyVert(), fragment: skyFrag() });
  const constants = new Float32Array(FRAME_BYTES / 4);
  const renderArea = { offset: { x: 0, y: 0 }, extent };

  function drawIsland(commands: VkCommandBuffer, number: number, up: 1 | -1): void {
    const { first, count } = up === 1 ? island.fromAbove : island.fromBelow;
    writeFrame(constants, number, canvas, up);
    commands.vkCmdPushConstants(layout, STAGES, 0, constants);
    commands.vkCmdDrawIndexed(count, 1, first, 0, 0);
  }

  return {
    record(commands, image, number) {
      const begin = { renderPass, framebuffer: framebuffers[image], renderArea, pClearValues: CLEARED };
      commands.vkCmdBeginRenderPass(begin, VK_SUBPASS_CONTENTS_INLINE);
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, stone);
      commands.vkCmdBindVertexBuffers(0, [vertices.buffer], [0n]);
      commands.vkCmdBindIndexBuffer(indices.buffer, 0n, VK_INDEX_TYPE_UINT16);
      drawIsland(commands, number, 1);
      drawIsland(commands, number, -1);
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, sky);
      commands.vkCmdDraw(3, 1, 0, 0);
      commands.vkCmdEndRenderPass();
    },
    [Symbol.dispose]: () => gpu.owned.dispose(),
  };
}

/** One framebuffer for each view, all with one depth buffer: frames are drawn one after the other. */
function makeFramebuffers(
  gpu: Gpu,
  { renderPass, extent }: { renderPass: ReturnType<typeof spinPass>; extent: Extent },
  views: readonly ReturnType<typeof viewOf>[],
) {
  const depth = texture(gpu, VK_FORMAT_D32_SFLOAT, extent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  return views.map((view) => {
    const pAttachments = [view, depth.view];
    const framebuffer = gpu.device.vkCreateFramebuffer({ renderPass, pAttachments, ...extent, layers: 1 });
    gpu.owned.defer(() => gpu.device.vkDestroyFramebuffer(framebuffer));
    return framebuffer;
  });
}

function makeLayout({ device, owned }: Gpu): VkPipelineLayout {
  const layout = device.vkCreatePipelineLayout({ pPushConstantRanges: [{ stageFlags: STAGES, size: FRAME_BYTES }] });
  owned.defer(() => device.vkDestroyPipelineLayout(layout));
  return layout;
}
