import {
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_VIEW_TYPE_3D,
} from "../../../../loader/gen/enums_core_gen.js";
import { aspectsOf, formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";
import type { Fields } from "../../record/line.ts";
import type { ImageFacts, ImagePart, Resources } from "../../state_tracker/resources.ts";
import type { Box, Point } from "./boxes.ts";

/** A box of one aspect of one layer or slice of a level of an image. */
export interface Slice {
  /** The image's name. */
  readonly image: string;
  /** VkFormat. */
  readonly format: number;
  readonly aspect: ImageAspect;
  readonly level: number;
  readonly layer: number;
  /** The box in blocks. Images with a depth have one layer and several z. */
  readonly box: Box;
}

const ASPECT_BITS: Readonly<Record<ImageAspect, number>> = {
  color: VK_IMAGE_ASPECT_COLOR_BIT,
  depth: VK_IMAGE_ASPECT_DEPTH_BIT,
  stencil: VK_IMAGE_ASPECT_STENCIL_BIT,
};
const NOWHERE = { x: 0, y: 0, z: 0 };

/** Returns the slices of a region of a copy, by aspect. Without an extent the region is whole. */
export function regionSlices(
  resources: Resources,
  image: string,
  { mipLevel, ...layers }: Fields,
  offset: Fields = NOWHERE,
  extent?: Fields,
): Slice[] {
  const part = resources.part(image, { ...layers, baseMipLevel: mipLevel });
  return slicesOf(resources, part, offset, extent);
}

/** Returns the slices of levels and layers of an image, or of a box in each. */
export function slicesOf(resources: Resources, part: ImagePart, offset: Fields = NOWHERE, extent?: Fields): Slice[] {
  const facts = resources.image(part.image);
  if (!facts) return [];
  const levels = Array.from({ length: part.levelCount }, (_, index) => part.baseMipLevel + index);
  return aspectsOf(facts.format).filter((each) => part.aspectMask & ASPECT_BITS[each]).flatMap((aspect) =>
    levels.flatMap((level) => {
      const box = blocks(facts, aspect, offset, extent ?? extentOf(facts, level));
      const place = { image: part.image, format: facts.format, aspect, level };
      return slices(facts, part, box).map((each) => ({ ...place, ...each }));
    })
  );
}

/** Returns the slices that a view shows, or those of an area of it. A view of slices takes them for layers. */
export function viewSlices(
  resources: Resources,
  view: string,
  area?: Fields,
  layers?: readonly [first: number, count: number],
): Slice[] {
  const whole = resources.view(view), facts = whole && resources.image(whole.image);
  if (!whole || !facts) return [];
  const [first, count] = layers ?? [0, whole.layerCount];
  const part = { ...whole, levelCount: area ? 1 : whole.levelCount };
  const baseArrayLayer = whole.baseArrayLayer + first, layerCount = count;
  const { x, y, width, height } = { ...area?.offset, ...area?.extent } as Fields;
  const isSliced = facts.extent.depth > 1 && resources.info(view)!.viewType !== VK_IMAGE_VIEW_TYPE_3D;
  if (isSliced) {
    const { width: all, height: high } = extentOf(facts, whole.baseMipLevel);
    const extent = { width: width ?? all, height: height ?? high, depth: layerCount };
    return slicesOf(resources, { ...part, baseArrayLayer: 0, layerCount: 1 }, {
      x: x ?? 0,
      y: y ?? 0,
      z: baseArrayLayer,
    }, extent);
  }
  const box = area && [{ x, y, z: 0 }, { width, height, depth: 1 }];
  return slicesOf(resources, { ...part, baseArrayLayer, layerCount }, ...box ?? []);
}

function extentOf({ extent }: ImageFacts, level: number): Fields {
  const [width, height, depth] = [extent.width, extent.height, extent.depth].map((each) => Math.max(1, each >> level));
  return { width, height, depth };
}

function blocks({ format }: ImageFacts, aspect: ImageAspect, { x, y, z }: Fields, extent: Fields): Box {
  const { blockExtent } = formatOf(format, aspect), { width, height, depth } = extent;
  const ends = [x + width, y + height, z + depth];
  return {
    from: [x, y, z].map((each, axis) => Math.floor(each / blockExtent[axis])) as unknown as Point,
    to: ends.map((each, axis) => Math.ceil(each / blockExtent[axis])) as unknown as Point,
  };
}

/**
 * Returns one box for each layer, or for each slice of an image with a depth: a copy may have the other on its other
 * side.
 */
function slices(facts: ImageFacts, { baseArrayLayer, layerCount }: ImagePart, { from, to }: Box) {
  if (facts.extent.depth > 1) {
    return Array.from({ length: to[2] - from[2] }, (_, index) => {
      const z = from[2] + index;
      return { layer: 0, box: { from: [from[0], from[1], z], to: [to[0], to[1], z + 1] } as Box };
    });
  }
  const box: Box = { from: [from[0], from[1], 0], to: [to[0], to[1], 1] };
  return Array.from({ length: layerCount }, (_, index) => ({ layer: baseArrayLayer + index, box }));
}
