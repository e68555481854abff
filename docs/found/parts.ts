/**
 * What the tests of this folder share: images with their views, a pipeline, a
 * pass, and the bytes of an image.
 *
 * @module
 */
import type { GpuTestContext } from "@pumice/gfx/testing";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_API_VERSION_1_3,
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_CULL_MODE_NONE,
  VK_FORMAT_S8_UINT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_POLYGON_MODE_FILL,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_QUEUE_FAMILY_IGNORED,
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
export function target(context: GpuTestContext, wanted: Wanted): Target {
  const { device, owned } = context, { format, width, height, layers = 1, layer = 0 } = wanted;
  const samples = wanted.samples ?? VK_SAMPLE_COUNT_1_BIT;
  const image = device.vkCreateImage({
    flags: wanted.flags,
    imageType: VK_IMAGE_TYPE_2D,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: layers,
    samples,
    usage: wanted.usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  });
  const { size, memoryTypeBits } = device.vkGetImageMemoryRequirements(image);
  const memoryTypeIndex = 31 - Math.clz32(memoryTypeBits & -memoryTypeBits);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  device.vkBindImageMemory(image, memory, 0n);
  const subresourceRange = { aspectMask: aspectOf(format), levelCount: 1, baseArrayLayer: layer, layerCount: 1 };
  const view = device.vkCreateImageView({ image, viewType: VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange });
  owned.defer(() => {
    device.vkDestroyImageView(view);
    device.vkDestroyImage(image);
    device.vkFreeMemory(memory);
  });
  return { image, view, format, width, height, samples };
}

/** Lets all later commands wait for all earlier ones. */
export function wait(commands: VkCommandBuffer): void {
  const all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  commands.vkCmdPipelineBarrier(all, all, 0, [{ srcAccessMask: access, dstAccessMask: access }], [], []);
}

/** Brings all of a new image into the general layout, in which all commands of these tests use images. */
export function ready(commands: VkCommandBuffer, { image, format }: Target, layerCount = 1): void {
  const all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  commands.vkCmdPipelineBarrier(all, all, 0, [], [], [{
    srcAccessMask: 0,
    dstAccessMask: access,
    oldLayout: VK_IMAGE_LAYOUT_UNDEFINED,
    newLayout: VK_IMAGE_LAYOUT_GENERAL,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: { aspectMask: aspectOf(format), levelCount: 1, layerCount },
  }]);
}

/** Makes a pipeline that covers a target; `other` is what sets the pipeline apart. */
export function pipeline(
  { device, owned }: GpuTestContext,
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
  owned.defer(() => {
    device.vkDestroyPipeline(made);
    device.vkDestroyPipelineLayout(layout);
    device.vkDestroyShaderModule(module);
  });
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
  { buffer, submit }: GpuTestContext,
  { image, format, width, height }: Target,
  bytes: number,
  layer = 0,
): { readonly bytes: Uint8Array; readonly floats: Float32Array } {
  const texels = buffer(width * height * bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  submit((commands) => {
    commands.vkCmdCopyImageToBuffer(image, VK_IMAGE_LAYOUT_GENERAL, texels.buffer, [{
      imageSubresource: { aspectMask: aspectOf(format), baseArrayLayer: layer, layerCount: 1 },
      imageExtent: { width, height, depth: 1 },
    }]);
  });
  return texels;
}
