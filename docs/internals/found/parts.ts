/**
 * What the tests of this folder share: images with their views, a pipeline, a
 * pass, and the bytes of an image.
 *
 * @module
 */
import { type GpuBuffer, type GpuTestContext, turnImage } from "@pumice/gfx/testing";
import {
  VK_API_VERSION_1_3,
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_CULL_MODE_NONE,
  VK_FORMAT_S8_UINT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_POLYGON_MODE_FILL,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
  type VkCommandBuffer,
  type VkFormat,
  type VkGraphicsPipelineCreateInfo,
  type VkImage,
  type VkImageView,
  type VkPipeline,
} from "@pumice/gfx/vk";
import { translate } from "naga-wasm";

/** What each test requires. */
export const OPTIONS = {
  apiVersion: VK_API_VERSION_1_3,
  pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, dynamicRendering: true }],
} as const;

/** One triangle of the vertices 0, 1 and 2 covers everything; the colour is (1, 0.6, 0.2, 0.4). */
const SHADERS = `
@vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  var corners = array(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3));
  return vec4f(corners[index % 3], 0.5, 1);
}
@fragment fn paint() -> @location(0) vec4f { return vec4f(1, 0.6, 0.2, 0.4); }
`;

/** An image with memory and a view. */
export interface Target {
  readonly image: VkImage;
  /** The view of one layer. */
  readonly view: VkImageView;
  readonly format: VkFormat;
  readonly width: number;
  readonly height: number;
  readonly samples: number;
}

/** How a target is made. */
export type Wanted = Pick<Target, "format" | "width" | "height"> & {
  /** VkImageUsageFlags beside transfers. */
  readonly usage: number;
  readonly samples?: number;
  readonly layers?: number;
  /** VkImageCreateFlags. */
  readonly flags?: number;
  /** The layer of the view. */
  readonly layer?: number;
};

/** The aspect of a format, which is colour or stencil here. */
function aspectOf(format: VkFormat): number {
  return format === VK_FORMAT_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

/** Makes an image with a view of one layer; the test ends both. */
export function target({ bareImage, ownedDevice }: GpuTestContext, wanted: Wanted): Target {
  const { format, width, height, flags, layers = 1, layer = 0, samples = VK_SAMPLE_COUNT_1_BIT } = wanted;
  const usage = wanted.usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const image = bareImage({ flags, format, extent: { width, height }, arrayLayers: layers, samples, usage });
  const subresourceRange = { aspectMask: aspectOf(format), levelCount: 1, baseArrayLayer: layer, layerCount: 1 };
  const view = ownedDevice.vkCreateImageView({ image, viewType: VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange });
  return { image, view, format, width, height, samples };
}

/** Brings all of a new image into the general layout, in which all commands of these tests use images. */
export function ready(commands: VkCommandBuffer, { image, format }: Target): void {
  turnImage(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, aspectOf(format));
}

/** Makes a pipeline that covers a target; `other` is what sets the pipeline apart. */
export function pipeline(
  { ownedDevice: device }: GpuTestContext,
  { format, width, height, samples }: Target,
  other: Partial<VkGraphicsPipelineCreateInfo> = {},
): VkPipeline {
  const module = device.vkCreateShaderModule({ pCode: translate({ from: "wgsl", to: "spirv", source: SHADERS }) });
  const layout = device.vkCreatePipelineLayout({}), isColor = aspectOf(format) === VK_IMAGE_ASPECT_COLOR_BIT;
  const { pipelines: [made] } = device.vkCreateGraphicsPipelines(null, [{
    pNext: [{
      sType: VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      viewMask: 0,
      pColorAttachmentFormats: isColor ? [format] : [],
      stencilAttachmentFormat: isColor ? 0 : format,
    }],
    pStages: [
      { stage: VK_SHADER_STAGE_VERTEX_BIT, module, pName: "cover" },
      ...isColor ? [{ stage: VK_SHADER_STAGE_FRAGMENT_BIT, module, pName: "paint" } as const] : [],
    ],
    pVertexInputState: {},
    pInputAssemblyState: { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
    pViewportState: {
      pViewports: [{ width, height, minDepth: 0, maxDepth: 1 }],
      pScissors: [{ extent: { width, height } }],
    },
    pRasterizationState: { polygonMode: VK_POLYGON_MODE_FILL, cullMode: VK_CULL_MODE_NONE, lineWidth: 1 },
    pMultisampleState: { rasterizationSamples: samples },
    pColorBlendState: { pAttachments: isColor ? [{ colorWriteMask: 15 }] : [] },
    layout,
    ...other,
  }]);
  return made;
}

/** Clears a target to `color`, or to 0 in its stencil, and draws into it; `attachment` is what sets the pass apart. */
export function pass(
  commands: VkCommandBuffer,
  { view, format, width, height }: Target,
  color: readonly number[],
  write: () => void,
  attachment: object = {},
): void {
  const one = {
    imageView: view,
    imageLayout: VK_IMAGE_LAYOUT_GENERAL,
    loadOp: VK_ATTACHMENT_LOAD_OP_CLEAR,
    storeOp: VK_ATTACHMENT_STORE_OP_STORE,
    clearValue: { color: { float32: color } },
    ...attachment,
  };
  const isColor = aspectOf(format) === VK_IMAGE_ASPECT_COLOR_BIT;
  commands.vkCmdBeginRendering(
    {
      renderArea: { extent: { width, height } },
      layerCount: 1,
      pColorAttachments: isColor ? [one] : [],
      ...!isColor && { pStencilAttachment: { ...one, clearValue: { depthStencil: { depth: 0, stencil: 0 } } } },
    } as Parameters<VkCommandBuffer["vkCmdBeginRendering"]>[0],
  );
  write();
  commands.vkCmdEndRendering();
}

/** Reads a layer of an image, `bytes` of each texel. */
export function read(
  { readImage }: GpuTestContext,
  { image, format, width, height }: Target,
  bytes: number,
  layer = 0,
): GpuBuffer {
  return readImage(image, VK_IMAGE_LAYOUT_GENERAL, width * height * bytes, {
    imageSubresource: { aspectMask: aspectOf(format), baseArrayLayer: layer },
    imageExtent: { width, height },
  });
}
