import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import type { VkCommandBuffer, VkFormat, VkImage, VkImageLayout, VkImageView } from "../../loader/types.ts";
import { bindImage, DEVICE_LOCAL } from "./memory.ts";
import type { Workbench } from "./workbench.ts";

/** What an image shall be like. */
export interface ImageOptions {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Default VK_FORMAT_R8G8B8A8_UNORM. */
  readonly format?: VkFormat;
  /** VK_IMAGE_USAGE_… bits. Default: it can be drawn into, sampled, and copied both ways. */
  readonly usage?: number;
}

const RULES: OptionRules<ImageOptions> = {
  width: number,
  height: number,
  format: number,
  usage: number,
};

/** A two-dimensional image of one level, with a view. */
export interface GpuImage {
  /** The image. */
  readonly image: VkImage;
  /** The whole of it. */
  readonly view: VkImageView;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Its format. */
  readonly format: VkFormat;
  /** The layout it is in; set it when commands of yours change that. */
  layout: VkImageLayout;
}

/** VK_FORMAT_R8G8B8A8_UNORM; colour attachment, sampled, transfer both ways; VK_IMAGE_TYPE_2D and its view. */
const RGBA8 = 37, ANY_USAGE = 1 | 2 | 4 | 0x10, TWO_DIMENSIONS = 1, COLOR = 1;
/** The whole of an image of one level. */
export const WHOLE = { aspectMask: COLOR, levelCount: 1, layerCount: 1 } as const;
/** VK_PIPELINE_STAGE_ALL_COMMANDS_BIT; VK_ACCESS_MEMORY_READ_BIT | WRITE_BIT; VK_QUEUE_FAMILY_IGNORED */
const ALL = 0x10000, ANY_ACCESS = 0x8000 | 0x10000, IGNORED = 0xffffffff;

/** Makes an image in memory of the device. */
export function makeImage(bench: Workbench, options: ImageOptions): GpuImage {
  checkOptions("image()", options, RULES);
  const { device, owned } = bench, { width, height, format = RGBA8 as VkFormat, usage = ANY_USAGE } = options;
  const image = device.vkCreateImage({
    imageType: TWO_DIMENSIONS,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    usage,
  });
  owned.defer(() => device.vkDestroyImage(image));
  bindImage(bench, image, DEVICE_LOCAL);
  const view = device.vkCreateImageView({ image, viewType: TWO_DIMENSIONS, format, subresourceRange: WHOLE });
  owned.defer(() => device.vkDestroyImageView(view));
  return { image, view, width, height, format, layout: 0 as VkImageLayout };
}

/** Records that an image gets another layout, behind all that was recorded and before all that will be. */
export function changeLayout(commands: VkCommandBuffer, image: GpuImage, layout: VkImageLayout): void {
  commands.vkCmdPipelineBarrier(ALL, ALL, 0, [], [], [{
    srcAccessMask: ANY_ACCESS,
    dstAccessMask: ANY_ACCESS,
    oldLayout: image.layout,
    newLayout: layout,
    srcQueueFamilyIndex: IGNORED,
    dstQueueFamilyIndex: IGNORED,
    image: image.image,
    subresourceRange: WHOLE,
  }]);
  image.layout = layout;
}
