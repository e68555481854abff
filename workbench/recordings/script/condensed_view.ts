import { aspectsOf } from "../../../loader/texels/format.ts";
import { viewTypeOf } from "../../../wsi/gpu/bare_image.ts";
import { ASPECT_BITS } from "../compare/contents/piece.ts";
import type { Fields } from "../record/line.ts";
import type { Resources } from "../state_tracker/resources.ts";
import { braces, type Node } from "./node.ts";
import type { Values } from "./values.ts";

/** The facts of a view that a pass needs. */
export interface CondensedView {
  /** VkFormat. */
  readonly format: number;
  /** VkSampleCountFlagBits. */
  readonly samples: number;
  readonly isColor: boolean;
  readonly width: number;
  readonly height: number;
}

/** Returns the aspects of a format as VK_IMAGE_ASPECT_… bits. */
export function aspectMaskOf(format: number): number {
  return aspectsOf(format).reduce((bits, each) => bits | ASPECT_BITS[each], 0);
}

/** Writes the arguments of `view()`: the image, and what sets the view apart from one of the whole image. */
export function viewArguments(info: Fields, image: string, resources: Resources, values: Values): Node[] {
  const facts = resources.image(info.image)!, { imageType } = resources.info(info.image)!;
  const part = resources.part(info.image, info.subresourceRange), { subresourceRange: _, image: __, ...rest } = info;
  const range = {
    ...part.aspectMask !== aspectMaskOf(facts.format) && { aspectMask: part.aspectMask },
    baseMipLevel: part.baseMipLevel,
    ...part.baseMipLevel + part.levelCount !== facts.mipLevels && { levelCount: part.levelCount },
    baseArrayLayer: part.baseArrayLayer,
    ...part.baseArrayLayer + part.layerCount !== facts.arrayLayers && { layerCount: part.layerCount },
  };
  const { viewType, format, ...more } = rest;
  const members = values.members("VkImageViewCreateInfo", {
    ...viewType !== viewTypeOf(imageType, facts.arrayLayers) && { viewType },
    ...format !== facts.format && { format },
    ...more,
    ...values.members("VkImageSubresourceRange", range).length > 0 && { subresourceRange: range },
  });
  return [image, ...members.length > 0 ? [braces(members)] : []];
}

/** Returns what a pass needs to know of a view. */
export function condensedView(info: Fields, resources: Resources): CondensedView {
  const facts = resources.image(info.image)!,
    { baseMipLevel, aspectMask } = resources.part(
      info.image,
      info.subresourceRange,
    );
  const [width, height] = [facts.extent.width, facts.extent.height].map((length) =>
    Math.max(1, length >> baseMipLevel)
  );
  return {
    format: info.format,
    samples: facts.samples,
    isColor: aspectMask === ASPECT_BITS.color,
    width,
    height,
  };
}
