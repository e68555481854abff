import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  VK_IMAGE_TYPE_2D,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../loader/gen/enums_core_gen.js";
import { zeroMemory } from "../../loader/replay/zero_memory.ts";
import type { VkBufferImageCopy, VkImage, VkImageCreateInfo, VkImageLayout } from "../../loader/types.ts";
import { fullBarrier, turnImage } from "./barriers.ts";
import type { Bench } from "./bench.ts";
import { type GpuBuffer, makeBuffer } from "./buffer.ts";
import { bindImage, DEVICE_LOCAL } from "./memory.ts";
import { submit } from "./submit.ts";

/** VkImageCreateInfo, of which a format, an extent and a usage are enough. */
export type BareImageInfo = VkImageCreateInfo & Required<Pick<VkImageCreateInfo, "format" | "extent" | "usage">>;

/** Makes an image without a view, in memory of its own, which is zero. */
export function bareImage(bench: Bench, info: BareImageInfo): VkImage {
  const { device, owned } = bench;
  const image = device.vkCreateImage({
    imageType: VK_IMAGE_TYPE_2D,
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT,
    ...info,
    extent: { height: 1, depth: 1, ...info.extent },
  });
  owned.defer(() => device.vkDestroyImage(image));
  const { memory, size, type } = bindImage(bench, image, DEVICE_LOCAL);
  zeroMemory({ device, run: (record) => submit(bench, record) }, memory, size, type);
  return image;
}

const READABLE: readonly VkImageLayout[] = [VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL];

/** Copies texels of an image into a new buffer of so many bytes. The image keeps its layout. */
export function readImage(
  bench: Bench,
  image: VkImage,
  layout: VkImageLayout,
  bytes: number,
  region: VkBufferImageCopy = {},
): GpuBuffer {
  const texels = makeBuffer(bench, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const part = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1, ...region.imageSubresource };
  const imageExtent = { width: 1, height: 1, depth: 1, ...region.imageExtent };
  const { aspectMask, mipLevel, baseArrayLayer, layerCount } = part;
  const range = { aspectMask, baseMipLevel: mipLevel, levelCount: 1, baseArrayLayer, layerCount };
  const source = READABLE.includes(layout) ? layout : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  submit(bench, (commands) => {
    if (source === layout) fullBarrier(commands);
    else turnImage(commands, image, layout, source, range);
    commands.vkCmdCopyImageToBuffer(image, source, texels.buffer, [{ ...region, imageSubresource: part, imageExtent }]);
    if (source !== layout) turnImage(commands, image, source, layout, range);
  });
  return texels;
}
