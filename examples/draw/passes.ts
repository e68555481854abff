import {
  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
  VK_ACCESS_SHADER_READ_BIT,
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_LOAD_OP_DONT_CARE,
  VK_ATTACHMENT_STORE_OP_DONT_CARE,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_R16G16B16A16_SFLOAT,
  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
  VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT,
  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
  VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SUBPASS_EXTERNAL,
  type VkFramebuffer,
  type VkRenderPass,
  type VkSubpassDependency,
} from "@pumice/gfx/vk";
import type { Gpu } from "./gpu.ts";
import type { Extent, Resources, Texture } from "./resources.ts";

/** A render pass with what it draws into. */
export interface Pass {
  /** The render pass. */
  readonly renderPass: VkRenderPass;
  /** The framebuffer with the pass's attachments. */
  readonly framebuffer: VkFramebuffer;
  /** Their size. */
  readonly extent: Extent;
}

const READERS = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
const WRITERS = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |
  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
const WRITES = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

/** The dependencies of a pass whose attachment was read by shaders before, and is read by shaders next. */
const DEPENDENCIES: VkSubpassDependency[] = [
  {
    srcSubpass: VK_SUBPASS_EXTERNAL,
    dstSubpass: 0,
    srcStageMask: READERS | WRITERS,
    dstStageMask: WRITERS,
    srcAccessMask: VK_ACCESS_SHADER_READ_BIT | WRITES,
    dstAccessMask: WRITES,
  },
  {
    srcSubpass: 0,
    dstSubpass: VK_SUBPASS_EXTERNAL,
    srcStageMask: WRITERS,
    dstStageMask: READERS,
    srcAccessMask: WRITES,
    dstAccessMask: VK_ACCESS_SHADER_READ_BIT,
  },
];

const DEPTH_REFERENCE = { layout: VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL };

/** The pass that draws the shadow map. */
export function shadowPass(gpu: Gpu, { textures }: Resources): Pass {
  const renderPass = gpu.device.vkCreateRenderPass({
    pAttachments: [{
      format: VK_FORMAT_D32_SFLOAT,
      samples: VK_SAMPLE_COUNT_1_BIT,
      loadOp: VK_ATTACHMENT_LOAD_OP_CLEAR,
      storeOp: VK_ATTACHMENT_STORE_OP_STORE,
      stencilLoadOp: VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      stencilStoreOp: VK_ATTACHMENT_STORE_OP_DONT_CARE,
      finalLayout: VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    }],
    pSubpasses: [{
      pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS,
      pDepthStencilAttachment: { attachment: 0, ...DEPTH_REFERENCE },
    }],
    pDependencies: DEPENDENCIES,
  });
  return withFramebuffer(gpu, renderPass, [textures.shadow]);
}

/** The pass that draws the world's light. */
export function scenePass(gpu: Gpu, { textures }: Resources): Pass {
  const renderPass = gpu.device.vkCreateRenderPass({
    pAttachments: [{
      format: VK_FORMAT_R16G16B16A16_SFLOAT,
      samples: VK_SAMPLE_COUNT_1_BIT,
      loadOp: VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      storeOp: VK_ATTACHMENT_STORE_OP_STORE,
      stencilLoadOp: VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      stencilStoreOp: VK_ATTACHMENT_STORE_OP_DONT_CARE,
      finalLayout: VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    }, {
      format: VK_FORMAT_D32_SFLOAT,
      samples: VK_SAMPLE_COUNT_1_BIT,
      loadOp: VK_ATTACHMENT_LOAD_OP_CLEAR,
      storeOp: VK_ATTACHMENT_STORE_OP_DONT_CARE,
      stencilLoadOp: VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      stencilStoreOp: VK_ATTACHMENT_STORE_OP_DONT_CARE,
      finalLayout: VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    }],
    pSubpasses: [{
      pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS,
      pColorAttachments: [{ attachment: 0, layout: VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL }],
      pDepthStencilAttachment: { attachment: 1, ...DEPTH_REFERENCE },
    }],
    pDependencies: DEPENDENCIES,
  });
  return withFramebuffer(gpu, renderPass, [textures.light, textures.depth]);
}

function withFramebuffer(gpu: Gpu, renderPass: VkRenderPass, textures: Texture[]): Pass {
  const [{ extent }] = textures;
  const pAttachments = textures.map(({ view }) => view);
  const framebuffer = gpu.device.vkCreateFramebuffer({ renderPass, pAttachments, ...extent, layers: 1 });
  gpu.owned.defer(() => gpu.device.vkDestroyRenderPass(renderPass));
  gpu.owned.defer(() => gpu.device.vkDestroyFramebuffer(framebuffer));
  return { renderPass, framebuffer, extent };
}
