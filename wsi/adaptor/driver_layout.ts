import type { DriverDevice } from "./driver_device.ts";
import { DMA_BUF, DRM_FORMAT_MOD_LINEAR, HOST_ALLOCATION, IMAGE_USAGE, STYPE, TILING } from "./constants.ts";
import type { ImageKind } from "./image_support.ts";
import type { AdaptorTier } from "./options.ts";
import { filled, made, scratch, type StructObject, write } from "./struct.ts";
import {
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_TYPE_2D,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../loader/gen/native_gen.ts";

/** The layout in memory of an image of some size. */
export interface ImageLayout {
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** Bytes in all. */
  readonly size: number;
}

/** The properties of an image that decide the places of its pixels. */
export interface SizedKind extends ImageKind {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** The chain of a VkImageCreateInfo for an image in imported host memory. */
const FOR_HOST_MEMORY: readonly StructObject[] = [
  { sType: STYPE.EXTERNAL_MEMORY_IMAGE_CREATE_INFO, handleTypes: HOST_ALLOCATION },
];

const DMA_BUF_MEMORY: StructObject = { sType: STYPE.EXTERNAL_MEMORY_IMAGE_CREATE_INFO, handleTypes: DMA_BUF };

/** The chain of a VkImageCreateInfo for an image in a dma-buf, with rows of so many bytes. */
function rowsInDmaBuf(rowPitch: number): StructObject[] {
  const rows = { offset: 0n, size: 0n, rowPitch: BigInt(rowPitch), arrayPitch: 0n, depthPitch: 0n };
  return [DMA_BUF_MEMORY, {
    sType: STYPE.IMAGE_MODIFIER_EXPLICIT,
    drmFormatModifier: DRM_FORMAT_MOD_LINEAR,
    pPlaneLayouts: [rows],
  }];
}

/** The same with rows as the driver chooses them. */
const ANY_ROWS_IN_DMA_BUF: readonly StructObject[] = [
  DMA_BUF_MEMORY,
  { sType: STYPE.IMAGE_MODIFIER_LIST, pDrmFormatModifiers: [DRM_FORMAT_MOD_LINEAR] },
];

/** The tiling and chain of an image that is drawn into a buffer, on a tier; a dma-buf has rows of `rowPitch` bytes. */
export function sharedForm(tier: AdaptorTier, rowPitch: number): { tiling: number; pNext: readonly StructObject[] } {
  if (tier === "dma-buf") return { tiling: TILING.MODIFIER, pNext: rowsInDmaBuf(rowPitch) };
  return { tiling: tier === "linear" ? TILING.LINEAR : TILING.OPTIMAL, pNext: FOR_HOST_MEMORY };
}

/**
 * Asks the driver how it would lay an image out, by making one without memory.
 * Only linear images can be asked for their rows: of an optimal image of the
 * drivers where that tier is possible, the rows are those of its linear twin.
 * `undefined` when there is no such image.
 */
export function driverLayout(device: DriverDevice, kind: SizedKind, tier: AdaptorTier): ImageLayout | undefined {
  if (tier === "linear") return measured(device, kind, TILING.LINEAR, FOR_HOST_MEMORY);
  if (tier === "dma-buf") return measured(device, kind, TILING.MODIFIER, ANY_ROWS_IN_DMA_BUF);
  const usage = IMAGE_USAGE.TRANSFER_SRC | IMAGE_USAGE.TRANSFER_DST;
  const rows = measured(device, { ...kind, usage, flags: 0 }, TILING.LINEAR, []);
  const whole = measured(device, kind, TILING.OPTIMAL, FOR_HOST_MEMORY);
  return rows && whole && { rowPitch: rows.rowPitch, size: Math.max(whole.size, rows.size) };
}

function measured(device: DriverDevice, kind: SizedKind, tiling: number, pNext: readonly StructObject[]) {
  const { commands, handle } = device;
  const image = scratch(() => made((out) => commands.vkCreateImage(handle, imageInfo(kind, tiling, pNext), 0n, out)));
  if (typeof image === "number") return undefined;
  try {
    const { size } = requirementsOf(device, image);
    if (tiling === TILING.OPTIMAL) return { rowPitch: 0, size: Number(size) };
    const layout = firstLayout(device, image, tiling);
    return layout.offset === 0n ? { rowPitch: Number(layout.rowPitch), size: Number(size) } : undefined;
  } finally {
    commands.vkDestroyImage(handle, image, 0n);
  }
}

/** Writes a VkImageCreateInfo of a 2D image with one level, layer and sample. */
export function imageInfo(kind: SizedKind, tiling: number, pNext: readonly StructObject[]): bigint {
  const { format, usage, flags, width, height } = kind;
  return write("VkImageCreateInfo", {
    flags,
    imageType: VK_IMAGE_TYPE_2D,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT,
    tiling,
    usage,
    sharingMode: VK_SHARING_MODE_EXCLUSIVE,
    initialLayout: VK_IMAGE_LAYOUT_UNDEFINED,
    pNext,
  });
}

/** VkMemoryRequirements of an image. */
export function requirementsOf(device: DriverDevice, image: bigint): MemoryRequirements {
  const ask = (out: bigint) => device.commands.vkGetImageMemoryRequirements(device.handle, image, out);
  return filled("VkMemoryRequirements", ask) as unknown as MemoryRequirements;
}

/** The members of VkMemoryRequirements. */
export interface MemoryRequirements {
  readonly size: bigint;
  readonly alignment: bigint;
  readonly memoryTypeBits: number;
}

function firstLayout(
  { commands, handle }: DriverDevice,
  image: bigint,
  tiling: number,
): { offset: bigint; rowPitch: bigint } {
  const aspectMask = tiling === TILING.MODIFIER ? VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT : VK_IMAGE_ASPECT_COLOR_BIT;
  return scratch(() => {
    const color = write("VkImageSubresource", { aspectMask, mipLevel: 0, arrayLayer: 0 });
    const ask = (out: bigint) => commands.vkGetImageSubresourceLayout(handle, image, color, out);
    return filled("VkSubresourceLayout", ask) as { offset: bigint; rowPitch: bigint };
  });
}
