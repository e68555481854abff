import type { RawCommands } from "../../loader/types.ts";
import { type HalFormat, halFormatsOfVk } from "../buffer/hal_format.ts";
import { DMA_BUF, DRM_FORMAT_MOD_LINEAR, HOST_ALLOCATION, STYPE, TILING } from "./constants.ts";
import { canImportDmaBufs, type GpuFacts } from "./gpu_facts.ts";
import { filled, scratch, type StructObject, write } from "./struct.ts";
import {
  VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
  VK_FORMAT_D16_UNORM,
  VK_FORMAT_D32_SFLOAT_S8_UINT,
  VK_FORMAT_G8B8G8R8_422_UNORM,
  VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
  VK_IMAGE_TYPE_2D,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../loader/gen/native_gen.ts";

/** The properties of an image to create. */
export interface ImageKind {
  /** VkFormat. */
  readonly format: number;
  /** VkImageUsageFlags. */
  readonly usage: number;
  /** VkImageCreateFlags. */
  readonly flags: number;
}

/** The driver's support for images of a kind. */
export interface ImageSupport {
  /** The largest, pixels. */
  readonly maxExtent: { readonly width: number; readonly height: number };
  /** Whether the driver says that the memory asked about can be imported for such images. */
  readonly canImport: boolean;
}

const HOST_MEMORY = [{ sType: STYPE.EXTERNAL_IMAGE_FORMAT_INFO, handleType: HOST_ALLOCATION }];
/** Memory of a dma-buf, and pixels in rows. */
const ROWS_IN_DMA_BUF = [
  { sType: STYPE.EXTERNAL_IMAGE_FORMAT_INFO, handleType: DMA_BUF },
  {
    sType: STYPE.IMAGE_MODIFIER_INFO,
    drmFormatModifier: DRM_FORMAT_MOD_LINEAR,
    sharingMode: VK_SHARING_MODE_EXCLUSIVE,
    queueFamilyIndexCount: 0,
  },
];

/** Whether the driver says that dma-bufs can be imported for images of a kind, as rows of pixels. */
export function canDrawIntoDmaBuf(below: RawCommands, gpu: GpuFacts, kind: ImageKind): boolean {
  // For images with several formats the question would have to name the formats of all views.
  if (!canImportDmaBufs(gpu) || (kind.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) !== 0) return false;
  return askImported(below, gpu, kind, TILING.MODIFIER, ROWS_IN_DMA_BUF)?.canImport === true;
}

/** Asks about images of a kind and tiling; `undefined` when there can be none. */
export function imageSupport(
  below: RawCommands,
  gpu: GpuFacts,
  kind: ImageKind,
  tiling: number,
): ImageSupport | undefined {
  const imported = gpu.suffix !== undefined && gpu.hostAlignment > 0
    ? askImported(below, gpu, kind, tiling, HOST_MEMORY)
    : undefined;
  if (imported) return imported;
  const { format, usage, flags } = kind;
  let result = 0;
  const found = filled("VkImageFormatProperties", (out) => {
    result = below.vkGetPhysicalDeviceImageFormatProperties(
      gpu.handle,
      format,
      VK_IMAGE_TYPE_2D,
      tiling,
      usage,
      flags,
      out,
    );
  });
  return result === 0 ? supportOf(found, 0) : undefined;
}

function askImported(
  below: RawCommands,
  gpu: GpuFacts,
  { format, usage, flags }: ImageKind,
  tiling: number,
  pNext: readonly StructObject[],
) {
  return scratch(() => {
    const info = write("VkPhysicalDeviceImageFormatInfo2", {
      format,
      type: VK_IMAGE_TYPE_2D,
      tiling,
      usage,
      flags,
      pNext,
    });
    let result = 0;
    const found = filled("VkImageFormatProperties2", (out) => {
      result = below[`vkGetPhysicalDeviceImageFormatProperties2${gpu.suffix!}`](gpu.handle, info, out);
    }, [STYPE.EXTERNAL_IMAGE_FORMAT_PROPERTIES]);
    if (result !== 0) return undefined;
    const [external] = found.pNext as { externalMemoryProperties: { externalMemoryFeatures: number } }[];
    return supportOf(
      found.imageFormatProperties as StructObject,
      external.externalMemoryProperties.externalMemoryFeatures,
    );
  });
}

function supportOf({ maxExtent }: StructObject, features: number): ImageSupport {
  return {
    maxExtent: maxExtent as ImageSupport["maxExtent"],
    canImport: (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) !== 0,
  };
}

/** VkFormats of depth and stencil, and of 4:2:2 pixels that share bytes. */
const DEPTH = { first: VK_FORMAT_D16_UNORM, last: VK_FORMAT_D32_SFLOAT_S8_UINT } as const,
  SUBSAMPLED = VK_FORMAT_G8B8G8R8_422_UNORM;

/** Returns the gralloc formats with one colour plane whose bytes images of a VkFormat have, the most common first. */
export function colorFormatsOf(vkFormat: number): readonly HalFormat[] {
  if (vkFormat >= DEPTH.first && vkFormat <= DEPTH.last || vkFormat === SUBSAMPLED) return [];
  return halFormatsOfVk(vkFormat).filter(({ planes, arrangement }) => planes === 1 && arrangement === "packed");
}
