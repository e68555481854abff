import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  VK_REMAINING_ARRAY_LAYERS,
  VK_REMAINING_MIP_LEVELS,
} from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer, VkImage, VkImageLayout, VkImageSubresourceRange } from "../../loader/types.ts";

/** A part of an image: VK_IMAGE_ASPECT_… bits for all levels and layers, or a range of them. */
export type ImagePart = number | VkImageSubresourceRange;

const ALL = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
const ACCESS = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
const ANY = { srcAccessMask: ACCESS, dstAccessMask: ACCESS };

/**
 * Lets all later commands wait for all earlier ones, and see what those wrote.
 *
 * @example
 * ```ts ignore
 * import { fullBarrier, openGpu } from "@pumice/gfx";
 *
 * using gpu = openGpu();
 * const one = gpu.buffer(4), other = gpu.buffer(4), last = gpu.buffer(4);
 * gpu.submit((commands) => {
 *   commands.vkCmdCopyBuffer(one.buffer, other.buffer, [{ size: 4n }]);
 *   fullBarrier(commands);
 *   commands.vkCmdCopyBuffer(other.buffer, last.buffer, [{ size: 4n }]);
 * });
 * ```
 */
export function fullBarrier(commands: VkCommandBuffer): void {
  commands.vkCmdPipelineBarrier(ALL, ALL, 0, [ANY], [], []);
}

/**
 * Changes the layout of an image, after all earlier commands and before all later ones, which also see what the
 * earlier ones wrote.
 *
 * @param part Default: the colours of all levels and layers.
 *
 * @example
 * ```ts ignore
 * import { openGpu, turnImage } from "@pumice/gfx";
 * import { VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_UNDEFINED } from "@pumice/gfx/vk";
 *
 * using gpu = openGpu();
 * const { image } = gpu.image({ width: 4, height: 4 });
 * gpu.submit((commands) => turnImage(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL));
 * ```
 */
export function turnImage(
  commands: VkCommandBuffer,
  image: VkImage,
  oldLayout: VkImageLayout,
  newLayout: VkImageLayout,
  part: ImagePart = VK_IMAGE_ASPECT_COLOR_BIT,
): void {
  commands.vkCmdPipelineBarrier(ALL, ALL, 0, [ANY], [], [{
    ...ANY,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: rangeOf(part),
  }]);
}

/**
 * Brings an image into a layout, whatever the layout was, with zero in every component. The image needs
 * VK_IMAGE_USAGE_TRANSFER_DST_BIT.
 *
 * @param part Default: the colours of all levels and layers.
 *
 * @example
 * ```ts ignore
 * import { openGpu, zeroImage } from "@pumice/gfx";
 * import { VK_IMAGE_LAYOUT_GENERAL } from "@pumice/gfx/vk";
 *
 * using gpu = openGpu();
 * const target = gpu.image({ width: 4, height: 4 });
 * gpu.submit((commands) => zeroImage(commands, target.image, VK_IMAGE_LAYOUT_GENERAL));
 * target.layout = VK_IMAGE_LAYOUT_GENERAL;
 * console.log(gpu.pixels(target).data[0]); // 0
 * ```
 */
export function zeroImage(
  commands: VkCommandBuffer,
  image: VkImage,
  layout: VkImageLayout,
  part: ImagePart = VK_IMAGE_ASPECT_COLOR_BIT,
): void {
  const range = rangeOf(part), cleared = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  turnImage(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, cleared, part);
  if ((range.aspectMask ?? 0) & VK_IMAGE_ASPECT_COLOR_BIT) {
    commands.vkCmdClearColorImage(image, cleared, { float32: [0, 0, 0, 0] }, [range]);
  } else commands.vkCmdClearDepthStencilImage(image, cleared, { depth: 0, stencil: 0 }, [range]);
  turnImage(commands, image, cleared, layout, part);
}

function rangeOf(part: ImagePart): VkImageSubresourceRange {
  if (typeof part !== "number") return part;
  return { aspectMask: part, levelCount: VK_REMAINING_MIP_LEVELS, layerCount: VK_REMAINING_ARRAY_LAYERS };
}
