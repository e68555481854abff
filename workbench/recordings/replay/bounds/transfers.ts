import type { Fields } from "../../record/line.ts";
import { aspectsOf, formatOf } from "../../../../loader/texels/format.ts";
import {
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_TYPE_3D,
} from "../../../../loader/gen/enums_core_gen.js";
import { requireBox, requirePart, requireRoomIn, type Sizes, whole, wide } from "./facts.ts";

/** Checks a command of a name without its suffix: its arguments, and those that were parsed. */
export type BoundsCheck = (sizes: Sizes, args: Fields, given: ReadonlyMap<string, unknown>) => void;

/** Bytes of the structs of indirect commands. */
const DRAW = 16n, DRAW_INDEXED = 20n, DISPATCH = 12n, COUNT = 4n;

function copyBuffers(sizes: Sizes, { srcBuffer, dstBuffer, pRegions = [] }: Fields): void {
  for (const { srcOffset, dstOffset, size } of pRegions as Fields[]) {
    requireRoomIn(sizes, srcBuffer, srcOffset, size);
    requireRoomIn(sizes, dstBuffer, dstOffset, size);
  }
}

/** Copies between a buffer and an image, in either direction. */
function copyBetween(sizes: Sizes, { srcBuffer, dstBuffer, srcImage, dstImage, pRegions = [] }: Fields): void {
  const image = srcImage ?? dstImage, buffer = srcBuffer ?? dstBuffer;
  for (const { bufferOffset, imageSubresource, imageOffset, imageExtent, ...rest } of pRegions as Fields[]) {
    requireBox(sizes, image, imageSubresource, imageOffset, imageExtent);
    requireRoomIn(sizes, buffer, bufferOffset, bytesOf(sizes, image, { imageSubresource, imageExtent, ...rest }));
  }
}

/** The bytes of a region in a buffer; none for formats of several planes. */
function bytesOf(sizes: Sizes, image: unknown, region: Fields): bigint {
  const { imageSubresource: { aspectMask, layerCount = 1 }, imageExtent: { width, height, depth } } = region;
  const format = whole(sizes.info(image)?.format), aspects = aspectsOf(format);
  const part = aspectMask === VK_IMAGE_ASPECT_DEPTH_BIT
    ? "depth"
    : aspectMask === VK_IMAGE_ASPECT_STENCIL_BIT
    ? "stencil"
    : "color";
  if (!aspects.includes(part) || [width, height, depth].some((each) => whole(each) === 0)) return 0n;
  const { blockSize, blockExtent: [across, down] } = formatOf(format, part);
  const blocks = (texels: unknown, size: number) => BigInt(Math.ceil(whole(texels) / size));
  const row = blocks(whole(region.bufferRowLength) || width, across);
  const rows = blocks(whole(region.bufferImageHeight) || height, down);
  const slices = BigInt(whole(depth)) * BigInt(whole(layerCount) === 0xffff_ffff ? 1 : whole(layerCount));
  const last = (blocks(height, down) - 1n) * row + blocks(width, across);
  return slices === 0n ? 0n : ((slices - 1n) * rows * row + last) * BigInt(blockSize);
}

/** Copies to another format may have larger blocks there: only the place where they begin is known. */
function copyImages(sizes: Sizes, { srcImage, dstImage, pRegions = [] }: Fields): void {
  const isSame = sizes.info(srcImage)?.format === sizes.info(dstImage)?.format;
  for (const { srcSubresource, srcOffset, dstSubresource, dstOffset, extent } of pRegions as Fields[]) {
    const isLayered = isDeep(sizes, srcImage) !== isDeep(sizes, dstImage); // slices become layers
    const flat = isLayered ? { ...extent, depth: 1 } : extent;
    requireBox(sizes, srcImage, srcSubresource, srcOffset, flat);
    requireBox(sizes, dstImage, dstSubresource, dstOffset, isSame ? flat : {});
  }
}

function isDeep(sizes: Sizes, image: unknown): boolean {
  return sizes.info(image)?.imageType === VK_IMAGE_TYPE_3D;
}

function blit(sizes: Sizes, { srcImage, dstImage, pRegions = [] }: Fields): void {
  for (const { srcSubresource, srcOffsets = [], dstSubresource, dstOffsets = [] } of pRegions as Fields[]) {
    for (const corner of srcOffsets) requireBox(sizes, srcImage, srcSubresource, corner);
    for (const corner of dstOffsets) requireBox(sizes, dstImage, dstSubresource, corner);
  }
}

function clear(sizes: Sizes, { image, pRanges = [] }: Fields): void {
  for (const range of pRanges) requirePart(sizes, image, range);
}

/** Commands that read their counts from a buffer: the last of several begins `stride` behind the one before. */
function indirect(size: bigint): BoundsCheck {
  return (sizes, { buffer, offset, drawCount = 1, stride = 0 }) => {
    const count = BigInt(whole(drawCount)), bytes = count === 0n ? 0n : (count - 1n) * wide(stride) + size;
    requireRoomIn(sizes, buffer, offset, bytes);
  };
}

function counted(sizes: Sizes, { buffer, offset, countBuffer, countBufferOffset }: Fields): void {
  requireRoomIn(sizes, buffer, offset);
  requireRoomIn(sizes, countBuffer, countBufferOffset, COUNT);
}

/** Commands of Vulkan 1.3 have what others have as arguments in a struct. */
function inside(check: BoundsCheck): BoundsCheck {
  return (sizes, args, given) => {
    const info = Object.values(args).find((value) =>
      typeof value === "object" && value !== null && "pRegions" in value
    );
    check(sizes, (info ?? {}) as Fields, given);
  };
}

const both = (name: string, check: BoundsCheck) => ({ [name]: check, [`${name}2`]: inside(check) });

/** The checks of commands that copy, clear and read counts. */
export const TRANSFERS: Readonly<Record<string, BoundsCheck>> = {
  vkCmdFillBuffer: (sizes, { dstBuffer, dstOffset, size }) => requireRoomIn(sizes, dstBuffer, dstOffset, size),
  vkCmdUpdateBuffer(sizes, { dstBuffer, dstOffset }, given) {
    requireRoomIn(sizes, dstBuffer, dstOffset, (given.get("pData") as ArrayBufferView | undefined)?.byteLength);
  },
  ...both("vkCmdCopyBuffer", copyBuffers),
  ...both("vkCmdCopyBufferToImage", copyBetween),
  ...both("vkCmdCopyImageToBuffer", copyBetween),
  ...both("vkCmdCopyImage", copyImages),
  ...both("vkCmdResolveImage", copyImages),
  ...both("vkCmdBlitImage", blit),
  vkCmdClearColorImage: clear,
  vkCmdClearDepthStencilImage: clear,
  vkCmdDrawIndirect: indirect(DRAW),
  vkCmdDrawIndexedIndirect: indirect(DRAW_INDEXED),
  vkCmdDispatchIndirect: indirect(DISPATCH),
  vkCmdDrawIndirectCount: counted,
  vkCmdDrawIndexedIndirectCount: counted,
  vkCmdBindIndexBuffer: (sizes, { buffer, offset }) => requireRoomIn(sizes, buffer, offset),
  vkCmdBindVertexBuffers(sizes, { pBuffers, pOffsets }) {
    for (const [index, buffer] of pBuffers.entries()) requireRoomIn(sizes, buffer, pOffsets[index]);
  },
};
