import type { Fields } from "../../state_tracker/fields.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import { isExactClear } from "./exact_clear.ts";
import { UNDEFINED } from "./permitted_difference.ts";
import type { Places } from "./places.ts";
import { copyToBuffer, copyToImage } from "./rows.ts";
import { regionSlices, type Slice, slicesOf } from "./slices.ts";

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
