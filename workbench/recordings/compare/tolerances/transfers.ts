import type { Fields } from "../../record/line.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import { UNDEFINED } from "./permitted_difference.ts";
import type { Places } from "./places.ts";
import { copyToBuffer, copyToImage } from "./rows.ts";
import { regionSlices, type Slice, slicesOf } from "./slices.ts";
import { type Component, formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";

const CHANNELS = "RGBA";
/** Bits of the mantissa, and the largest number, of floats with an exponent of five bits, by all of their bits. */
const SHORT: Readonly<Record<number, { readonly mantissa: number; readonly most: number }>> = {
  10: { mantissa: 5, most: 64512 },
  11: { mantissa: 6, most: 65024 },
  16: { mantissa: 10, most: 65504 },
};
/** The exponent of the least normal number of such floats. */
const LEAST = -14;

/**
 * Whether all drivers store the same for a clear value, since no component has
 * to be rounded. `value` is a VkClearValue or a member of it, as a recording has it.
 */
export function isExactClear(format: number, aspect: ImageAspect, value: Fields | undefined): boolean {
  const { components } = formatOf(format, aspect), known: Fields = value?.depthStencil ?? value?.color ?? value ?? {};
  if (aspect === "stencil") return true;
  const numbers = floatsIn(known);
  if (aspect === "depth") return isStored(known.depth ?? numbers[0], components[0]);
  // Components that share an exponent are listed as whole numbers, which they are not.
  if (components[0].name === "E") return numbers.every((each) => each === 0);
  return components.every((each) => each.numericFormat.endsWith("INT") || isStored(numbers[placeOf(each)], each));
}

function placeOf({ name }: Component): number {
  return CHANNELS.indexOf(name);
}

/** A recording has the first member of a union that holds all of its bits. */
function floatsIn({ float32, int32, uint32 = [] }: Fields): number[] {
  if (float32) return [...float32].map(Math.fround);
  return [...new Float32Array((int32 ? Int32Array.from(int32) : Uint32Array.from(uint32)).buffer)];
}

function isStored(value: number | undefined, { name, bits, numericFormat }: Component): boolean {
  if (value === undefined || !Number.isFinite(value)) return false;
  if (name === "D" && (value < 0 || value > 1)) return false;
  if (numericFormat.endsWith("FLOAT")) return isFloat(value, bits, numericFormat);
  if (numericFormat === "UNORM") return value >= 0 && value <= 1 && Number.isInteger(value * (2 ** bits - 1));
  if (numericFormat === "SNORM") return Math.abs(value) <= 1 && Number.isInteger(value * (2 ** (bits - 1) - 1));
  return value === 0 || numericFormat === "SRGB" && value === 1;
}

function isFloat(value: number, bits: number, numericFormat: string): boolean {
  const short = SHORT[bits];
  if (!short) return true;
  if (numericFormat === "UFLOAT" && value < 0) return false;
  const exponent = value === 0 ? LEAST : Math.max(LEAST, Math.floor(Math.log2(Math.abs(value))));
  return Math.abs(value) <= short.most && Number.isInteger(value / 2 ** (exponent - short.mantissa));
}

/** The places in which permitted differences are noted, with the state on which they depend. */
export interface Noting {
  readonly places: Places;
  readonly resources: Resources;
}

/** Notes what a copy, blit, resolve or clear does. `args` are those of the first version of the command, or its struct. */
export type TransferNote = (noting: Noting, args: Fields) => void;

/** The effects of transfers, by the command's name without its suffix and version. */
export const TRANSFER_NOTES: Readonly<Record<string, TransferNote>> = {
  vkCmdCopyBuffer({ places }, { srcBuffer, dstBuffer, pRegions }) {
    for (const { srcOffset, dstOffset, size } of pRegions) {
      places.copy(rangeAt(srcBuffer, srcOffset, size), rangeAt(dstBuffer, dstOffset, size));
    }
  },
  vkCmdCopyImage({ places, resources }, { srcImage, dstImage, pRegions }) {
    for (const { srcSubresource, srcOffset, dstSubresource, dstOffset, extent } of pRegions) {
      const from = regionSlices(resources, srcImage, srcSubresource, srcOffset, extent);
      const to = regionSlices(resources, dstImage, dstSubresource, dstOffset, extent);
      for (const [index, slice] of from.entries()) if (to[index]) places.copy(slice, sized(to[index], slice));
    }
  },
  vkCmdCopyImageToBuffer({ places, resources }, { srcImage, dstBuffer, pRegions }) {
    for (const region of pRegions) copyToBuffer(places, slicesIn(resources, srcImage, region), dstBuffer, region);
  },
  vkCmdCopyBufferToImage({ places, resources }, { srcBuffer, dstImage, pRegions }) {
    for (const region of pRegions) copyToImage(places, srcBuffer, slicesIn(resources, dstImage, region), region);
  },
  vkCmdBlitImage: scaled,
  vkCmdResolveImage({ places, resources }, { dstImage, pRegions }) {
    for (const { dstSubresource, dstOffset, extent } of pRegions) {
      for (const slice of regionSlices(resources, dstImage, dstSubresource, dstOffset, extent)) places.compute(slice);
    }
  },
  vkCmdClearColorImage: (noting, { image, pRanges, pColor }) => clear(noting, image, pRanges, pColor),
  vkCmdClearDepthStencilImage: (noting, { image, pRanges, pDepthStencil }) =>
    clear(noting, image, pRanges, pDepthStencil),
};

function rangeAt(buffer: string, offset: unknown, size: unknown) {
  return { buffer, from: Number(offset), to: Number(offset) + Number(size) };
}

function slicesIn(
  resources: Resources,
  image: string,
  { imageSubresource, imageOffset, imageExtent }: Fields,
): Slice[] {
  return regionSlices(resources, image, imageSubresource, imageOffset, imageExtent);
}

/** A slice with as many blocks as another one: a copy counts them in its source's format. */
function sized(slice: Slice, { box }: Slice): Slice {
  const { from } = slice.box, [width, height, depth] = box.to.map((each, axis) => each - box.from[axis]);
  return { ...slice, box: { from, to: [from[0] + width, from[1] + height, from[2] + depth] } };
}

/** A blit computes texels; those of undefined ones are undefined. */
function scaled({ places, resources }: Noting, { srcImage, dstImage, pRegions }: Fields): void {
  for (const { srcSubresource, srcOffsets, dstSubresource, dstOffsets } of pRegions) {
    const from = regionSlices(resources, srcImage, srcSubresource, ...between(srcOffsets));
    const isUndefined = from.some((slice) => places.isUndefined(slice));
    for (const slice of regionSlices(resources, dstImage, dstSubresource, ...between(dstOffsets))) {
      if (isUndefined) places.loosen(slice, UNDEFINED);
      else places.compute(slice);
    }
  }
}

/** The offset and the extent between two corners in any order. */
function between([one, other]: readonly Fields[]): [Fields, Fields] {
  const axes = [["x", "width"], ["y", "height"], ["z", "depth"]] as const;
  const offset = Object.fromEntries(axes.map(([axis]) => [axis, Math.min(one[axis], other[axis])]));
  return [offset, Object.fromEntries(axes.map(([axis, size]) => [size, Math.abs(one[axis] - other[axis])]))];
}

function clear({ places, resources }: Noting, image: string, ranges: readonly Fields[], value: Fields): void {
  const slices = ranges.flatMap((range) => slicesOf(resources, resources.part(image, range)));
  for (const slice of slices) clearSlice(places, slice, value);
}

/** Notes that a slice is cleared to a value. */
export function clearSlice(places: Places, slice: Slice, value: Fields | undefined): void {
  if (isExactClear(slice.format, slice.aspect, value)) places.define(slice);
  else places.compute(slice);
}
