import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_TYPE_3D,
  VK_IMAGE_VIEW_TYPE_1D,
  VK_IMAGE_VIEW_TYPE_1D_ARRAY,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_IMAGE_VIEW_TYPE_2D_ARRAY,
  VK_IMAGE_VIEW_TYPE_3D,
  VK_REMAINING_ARRAY_LAYERS,
  VK_REMAINING_MIP_LEVELS,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../loader/gen/enums_core_gen.js";
import { bindImage, DEVICE_LOCAL, zeroMemory } from "./memory.ts";
import type {
  VkBufferImageCopy,
  VkImage,
  VkImageCreateInfo,
  VkImageLayout,
  VkImageView,
  VkImageViewCreateInfo,
  VkImageViewType,
} from "../../loader/types.ts";
import { fullBarrier, turnImage } from "./barriers.ts";
import { type Bench, ownedDevice, submit } from "./bench.ts";
import { type GpuBuffer, makeBuffer } from "./buffer.ts";
import { aspectOf } from "./image.ts";

/** VkImageCreateInfo, of which a format, an extent and a usage are enough. */
export type BareImageInfo = VkImageCreateInfo & Required<Pick<VkImageCreateInfo, "format" | "extent" | "usage">>;

/** Completes the VkImageCreateInfo: two dimensions, one level, one layer and one sample, unless it says otherwise. */
export function wholeInfo(info: BareImageInfo): VkImageCreateInfo {
  return {
    imageType: VK_IMAGE_TYPE_2D,
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT,
    ...info,
    extent: { height: 1, depth: 1, ...info.extent },
  };
}

/** Makes an image without a view, in memory of its own, which is zero. */
export function bareImage(bench: Bench, info: BareImageInfo): VkImage {
  const { device, owned } = bench;
  const image = device.vkCreateImage(wholeInfo(info));
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

/** The part of an image that a view shows, as an attachment. */
export interface ViewFacts {
  readonly format: number;
  readonly samples: number;
  /** VK_IMAGE_ASPECT_… bits. */
  readonly aspectMask: number;
  /** Texels of the view's first level. */
  readonly width: number;
  readonly height: number;
}

/** The differences of a view from one of the whole image. */
export type ViewInfo = Omit<VkImageViewCreateInfo, "image">;

/** The images of `bareImage()` and the views of `view()`, with what they were made from. */
export class KnownImages {
  readonly #images = new Map<VkImage, BareImageInfo>();
  readonly #views = new Map<VkImageView, ViewFacts>();

  /** Notes an image. */
  add(image: VkImage, info: BareImageInfo): VkImage {
    this.#images.set(image, info);
    return image;
  }

  /** Makes a view. Throws a `TypeError` for an image that is not known. */
  view(bench: Bench, image: VkImage, info: ViewInfo): VkImageView {
    const made = this.#images.get(image);
    if (!made) throw new TypeError(`Cannot make a view of image ${image}: give an image that bareImage() made`);
    const { format = made.format, subresourceRange: range = {} } = info;
    const part = {
      aspectMask: aspectOf(made.format),
      levelCount: VK_REMAINING_MIP_LEVELS,
      layerCount: VK_REMAINING_ARRAY_LAYERS,
      ...range,
    };
    const all = {
      viewType: viewTypeOf(made.imageType, made.arrayLayers),
      format,
      ...info,
      image,
      subresourceRange: part,
    };
    const view = ownedDevice(bench.device, bench.owned).vkCreateImageView(all);
    const { width = 1, height = 1 } = made.extent, level = range.baseMipLevel ?? 0;
    const [across, down] = [width, height].map((length) => Math.max(1, length >> level));
    const { aspectMask } = part, { samples = 1 } = made;
    this.#views.set(view, { format, samples, aspectMask, width: across, height: down });
    return view;
  }

  /** Returns the facts of a view. Throws a `TypeError` for one that is not known. */
  facts(view: VkImageView): ViewFacts {
    const found = this.#views.get(view);
    if (found) return found;
    throw new TypeError(`Cannot draw into image view ${view}: give a view that view() made`);
  }
}

/** The type of a view of a whole image: an array where there are several layers. */
export function viewTypeOf(imageType: VkImageCreateInfo["imageType"], arrayLayers = 1): VkImageViewType {
  if (imageType === VK_IMAGE_TYPE_3D) return VK_IMAGE_VIEW_TYPE_3D;
  const [one, several] = imageType === VK_IMAGE_TYPE_1D
    ? [VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY] as const
    : [VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY] as const;
  return arrayLayers > 1 ? several : one;
}
