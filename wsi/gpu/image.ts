import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import {
  VK_FORMAT_D16_UNORM,
  VK_FORMAT_D16_UNORM_S8_UINT,
  VK_FORMAT_D24_UNORM_S8_UINT,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_D32_SFLOAT_S8_UINT,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_FORMAT_S8_UINT,
  VK_FORMAT_X8_D24_UNORM_PACK32,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer, VkFormat, VkImage, VkImageLayout, VkImageView } from "../../loader/types.ts";
import { turnImage } from "./barriers.ts";
import { type Bench, duringCall, submit } from "./bench.ts";
import { makeBuffer } from "./buffer.ts";
import { bindImage, DEVICE_LOCAL } from "./memory.ts";

/** The properties of an image to make. */
export interface GpuImageOptions {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Default VK_FORMAT_R8G8B8A8_UNORM. */
  readonly format?: VkFormat;
  /**
   * VK_IMAGE_USAGE_… bits. Default: the image can be drawn to, sampled, and copied both ways; an image with depth or
   * stencil can be an attachment for them.
   */
  readonly usage?: number;
  /** The initial contents: rows from the top, without gaps, in the image's format. Default: undefined contents. */
  readonly contents?: ArrayBufferView;
}

const RULES: OptionRules<GpuImageOptions> = {
  width: number,
  height: number,
  format: number,
  usage: number,
  contents: (value) => ArrayBuffer.isView(value) ? undefined : "a typed array",
};

/** A two-dimensional image of one level, with a view. */
export interface GpuImage {
  /** The image. */
  readonly image: VkImage;
  /** A view of the whole image. */
  readonly view: VkImageView;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The image's format. */
  readonly format: VkFormat;
  /** VK_IMAGE_ASPECT_… bits: color, or depth and stencil by the format. */
  readonly aspectMask: number;
  /** The layout of the image. Set the layout when your own commands change it. */
  layout: VkImageLayout;
}

const BOTH_WAYS = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
const DEPTH: readonly VkFormat[] = [VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT];
const DEPTH_STENCIL: readonly VkFormat[] = [
  VK_FORMAT_D16_UNORM_S8_UINT,
  VK_FORMAT_D24_UNORM_S8_UINT,
  VK_FORMAT_D32_SFLOAT_S8_UINT,
];

/** Returns the aspects of a format: colour, or depth and stencil. */
export function aspectOf(format: VkFormat): number {
  if (DEPTH.includes(format)) return VK_IMAGE_ASPECT_DEPTH_BIT;
  if (DEPTH_STENCIL.includes(format)) return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  return format === VK_FORMAT_S8_UINT ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

function usageFor(aspectMask: number): number {
  const attachment = aspectMask === VK_IMAGE_ASPECT_COLOR_BIT
    ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
    : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  return BOTH_WAYS | attachment;
}

/** Makes an image in memory of the device. */
export function makeImage(bench: Bench, options: GpuImageOptions): GpuImage {
  checkOptions("image()", options, RULES, ["width", "height"]);
  const { device, owned } = bench, { width, height, format = VK_FORMAT_R8G8B8A8_UNORM, contents } = options;
  const aspectMask = aspectOf(format), usage = options.usage ?? usageFor(aspectMask);
  const image = device.vkCreateImage({
    imageType: VK_IMAGE_TYPE_2D,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT,
    usage,
  });
  owned.defer(() => device.vkDestroyImage(image));
  bindImage(bench, image, DEVICE_LOCAL);
  const subresourceRange = { aspectMask, levelCount: 1, layerCount: 1 };
  const view = device.vkCreateImageView({ image, viewType: VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange });
  owned.defer(() => device.vkDestroyImageView(view));
  const made = { image, view, width, height, format, aspectMask, layout: VK_IMAGE_LAYOUT_UNDEFINED };
  if (contents) duringCall(bench, (own) => fill(own, made, contents));
  return made;
}

/** Copies contents into an image, which is then in VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL. */
function fill(bench: Bench, image: GpuImage, contents: ArrayBufferView): void {
  const { buffer } = makeBuffer(bench, contents), { width, height, aspectMask } = image;
  const imageSubresource = { aspectMask, layerCount: 1 }, imageExtent = { width, height, depth: 1 };
  const layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  submit(bench, (commands) => {
    changeLayout(commands, image, layout);
    commands.vkCmdCopyBufferToImage(buffer, image.image, layout, [{ imageSubresource, imageExtent }]);
  });
}

/**
 * Records a change of an image's layout, after all earlier commands and before all later ones.
 *
 * @example
 * ```ts ignore
 * import { changeLayout, openGpu } from "@pumice/gfx";
 * import { VK_IMAGE_LAYOUT_GENERAL } from "@pumice/gfx/vk";
 *
 * using gpu = openGpu();
 * const target = gpu.image({ width: 4, height: 4 });
 * gpu.submit((commands) => changeLayout(commands, target, VK_IMAGE_LAYOUT_GENERAL));
 * console.log(target.layout === VK_IMAGE_LAYOUT_GENERAL); // true
 * ```
 */
export function changeLayout(commands: VkCommandBuffer, image: GpuImage, layout: VkImageLayout): void {
  turnImage(commands, image.image, image.layout, layout, image.aspectMask);
  image.layout = layout;
}
