import {
  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_LOAD_OP_DONT_CARE,
  VK_ATTACHMENT_STORE_OP_DONT_CARE,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_FORMAT_D32_SFLOAT,
  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
  VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
  VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT,
  VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SUBPASS_EXTERNAL,
  type VkFormat,
  type VkImageLayout,
  type VkRenderPass,
} from "@pumice/gfx/vk";
import type { Gpu } from "../draw/gpu.ts";

const STAGES = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |
  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
const ACCESS = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

/** The depth buffer and the image acquired are there for this frame once the frame before has left them. */
const DEPENDENCIES = [{
  srcSubpass: VK_SUBPASS_EXTERNAL,
  dstSubpass: 0,
  srcStageMask: STAGES,
  dstStageMask: STAGES,
  srcAccessMask: ACCESS,
  dstAccessMask: ACCESS,
}];

/**
 * A pass that draws every pixel of a colour image, with depth, and leaves the
 * image in `layout`. An image for shared presentation is in its layout
 * already, and stays there.
 */
export function spinPass({ device, owned }: Gpu, format: VkFormat, layout: VkImageLayout): VkRenderPass {
  const isShared = layout === VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
  const plain = {
    samples: VK_SAMPLE_COUNT_1_BIT,
    stencilLoadOp: VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    stencilStoreOp: VK_ATTACHMENT_STORE_OP_DONT_CARE,
  };
  const renderPass = device.vkCreateRenderPass({
    pAttachments: [{
      ...plain,
      format,
      loadOp: VK_ATTACHMENT_LOAD_OP_DONT_CARE,
      storeOp: VK_ATTACHMENT_STORE_OP_STORE,
      initialLayout: isShared ? layout : VK_IMAGE_LAYOUT_UNDEFINED,
      finalLayout: layout,
    }, {
      ...plain,
      format: VK_FORMAT_D32_SFLOAT,
      loadOp: VK_ATTACHMENT_LOAD_OP_CLEAR,
      storeOp: VK_ATTACHMENT_STORE_OP_DONT_CARE,
      finalLayout: VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    }],
    pSubpasses: [{
      pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS,
      pColorAttachments: [{ attachment: 0, layout: isShared ? layout : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL }],
      pDepthStencilAttachment: { attachment: 1, layout: VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL },
    }],
    pDependencies: DEPENDENCIES,
  });
  owned.defer(() => device.vkDestroyRenderPass(renderPass));
  return renderPass;
}
