import { poke32 } from "../../../../ffi/machine.ts";
import { structAt } from "../../../codec/codec.ts";
import {
  VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT,
  VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
  VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT,
  VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
  VK_FORMAT_FEATURE_TRANSFER_DST_BIT,
  VK_FORMAT_FEATURE_TRANSFER_SRC_BIT,
  VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
  VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
  VK_IMAGE_TILING_LINEAR,
  VK_IMAGE_TILING_OPTIMAL,
  VK_IMAGE_TYPE_1D,
  VK_IMAGE_TYPE_3D,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_STORAGE_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
} from "../../../gen/enums_core_gen.js";
import { VK_ERROR_FORMAT_NOT_SUPPORTED } from "../../../gen/native_gen.ts";
import type { VkPhysicalDeviceLimits } from "../../../gen/types_core_gen.ts";
import type { Hook, Layer } from "../../../layer.ts";
import { apply, INNER, patchOf } from "../../define/device_changes.ts";
import type { Settings, SettingsOf } from "./settings.ts";

/** The features of which a usage needs one. */
const NEEDED: readonly (readonly [usage: number, features: number])[] = [
  [VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT],
  [VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT],
  [VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT],
  [VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT],
  [
    VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
    VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
  ],
  [VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT],
  [VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_TRANSFER_DST_BIT],
];
/** VkImageFormatProperties of images that are not supported. */
const NOTHING = {
  maxExtent: { width: 0, height: 0, depth: 0 },
  maxMipLevels: 0,
  maxArrayLayers: 0,
  sampleCounts: 0,
  maxResourceSize: 0n,
};

/** An image that somebody asks about. */
export interface Asked {
  readonly format: number;
  readonly type: number;
  readonly tiling: number;
  readonly usage: number;
  readonly flags: number;
}

/** Makes the hooks of the queries about images, which agree with the changed formats and limits. */
export function imageFormatHooks(current: SettingsOf): NonNullable<Layer["commands"]> {
  const answer = (gpu: bigint, asked: Asked, out: bigint, below: () => number) => {
    const settings = current(gpu);
    if (!isSupported(settings, asked)) {
      apply(patchOf("VkImageFormatProperties", NOTHING), out);
      return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    const result = below();
    if (result >= 0) lower(settings, asked, out);
    return result;
  };
  const formats2: Hook<"vkGetPhysicalDeviceImageFormatProperties2"> = (next, gpu, info, out) =>
    answer(gpu, askedAt("VkPhysicalDeviceImageFormatInfo2", info), out + INNER, () => next(gpu, info, out));
  const sparse2: Hook<"vkGetPhysicalDeviceSparseImageFormatProperties2"> = (next, gpu, info, count, out) =>
    isSupported(current(gpu), askedAt("VkPhysicalDeviceSparseImageFormatInfo2", info))
      ? next(gpu, info, count, out)
      : poke32(count, 0);
  return {
    vkGetPhysicalDeviceImageFormatProperties: (next, gpu, format, type, tiling, usage, flags, out) =>
      answer(
        gpu,
        { format, type, tiling, usage, flags },
        out,
        () => next(gpu, format, type, tiling, usage, flags, out),
      ),
    vkGetPhysicalDeviceExternalImageFormatPropertiesNV: (next, gpu, format, type, tiling, usage, flags, handles, out) =>
      answer(
        gpu,
        { format, type, tiling, usage, flags },
        out,
        () => next(gpu, format, type, tiling, usage, flags, handles, out),
      ),
    vkGetPhysicalDeviceImageFormatProperties2: formats2,
    vkGetPhysicalDeviceImageFormatProperties2KHR: formats2,
    vkGetPhysicalDeviceSparseImageFormatProperties: (next, gpu, format, type, samples, usage, tiling, count, out) =>
      isSupported(current(gpu), { format, type, tiling, usage, flags: 0 })
        ? next(gpu, format, type, samples, usage, tiling, count, out)
        : poke32(count, 0),
    vkGetPhysicalDeviceSparseImageFormatProperties2: sparse2,
    vkGetPhysicalDeviceSparseImageFormatProperties2KHR: sparse2,
  };
}

function askedAt(struct: string, info: bigint): Asked {
  return { flags: 0, ...structAt(struct, info) } as unknown as Asked;
}

/** Whether the formats allow an image. Tilings of modifiers have the features of one of the other two. */
export function isSupported(settings: Settings, { format, tiling, usage, flags }: Asked): boolean {
  const values = settings.format(format);
  if (!values) return true;
  const { linearTilingFeatures: linear, optimalTilingFeatures: optimal } = values;
  const features = tiling === VK_IMAGE_TILING_LINEAR
    ? linear
    : tiling === VK_IMAGE_TILING_OPTIMAL
    ? optimal
    : linear | optimal;
  if (features === 0n || (flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) !== 0) return features !== 0n;
  return NEEDED.every(([bit, needed]) => (usage & bit) === 0 || (features & BigInt(needed)) !== 0n);
}

/** The most that an image may have. */
interface Most {
  /** VkExtent3D. */
  readonly maxExtent: { readonly width: number; readonly height: number; readonly depth: number };
  /** Array layers. */
  readonly maxArrayLayers: number;
  /** Levels. */
  readonly maxMipLevels: number;
  /** VkSampleCountFlags. */
  readonly sampleCounts: number;
}

/** No image is larger than a limit that was given. */
function lower({ limits }: Settings, asked: Asked, out: bigint): void {
  apply(
    patchOf("VkImageFormatProperties", lowered(limits, asked, structAt("VkImageFormatProperties", out) as never)),
    out,
  );
}

/** Returns the most that limits leave of what a driver allows. */
export function lowered(limits: ImageLimits, asked: Asked, { maxExtent, ...driver }: Most): Most {
  const most = sizeLimit(limits, asked.type, asked.flags) ?? Infinity;
  const { width, height, depth } = maxExtent, largest = Math.min(most, Math.max(width, height, depth));
  return {
    maxExtent: { width: Math.min(width, most), height: Math.min(height, most), depth: Math.min(depth, most) },
    maxMipLevels: Math.min(driver.maxMipLevels, 32 - Math.clz32(largest)),
    maxArrayLayers: Math.min(driver.maxArrayLayers, limits.maxImageArrayLayers ?? Infinity),
    sampleCounts: (driver.sampleCounts & samplesOf(limits, asked)) >>> 0,
  };
}

/** The limit on the samples of storage images holds for all formats; the others hold for some, which a driver knows. */
function samplesOf({ storageImageSampleCounts }: ImageLimits, { usage }: Asked): number {
  return (usage & VK_IMAGE_USAGE_STORAGE_BIT) === 0 ? -1 : storageImageSampleCounts ?? -1;
}

/** Changed limits on the size of images. */
export type ImageLimits = Partial<VkPhysicalDeviceLimits>;

function sizeLimit(limits: ImageLimits, type: number, flags: number): number | undefined {
  if (type === VK_IMAGE_TYPE_1D) return limits.maxImageDimension1D;
  if (type === VK_IMAGE_TYPE_3D) return limits.maxImageDimension3D;
  const { maxImageDimension2D: flat, maxImageDimensionCube: cube } = limits;
  return (flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) === 0 ? flat : cube ?? flat;
}
