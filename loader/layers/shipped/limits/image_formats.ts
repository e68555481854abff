import { peek32, peek64, poke32, poke64 } from "../../../../ffi/machine.ts";
import { structAt } from "../../../codec/codec.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
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
import type { VkFormatProperties, VkPhysicalDeviceLimits } from "../../../gen/types_core_gen.ts";
import type { Hook, Layer } from "../../../layer.ts";
import { apply, INNER, patchOf } from "../../define/device_changes.ts";
import type { Settings } from "./settings.ts";

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
const NOTHING = { maxExtent: {}, maxMipLevels: 0, maxArrayLayers: 0, sampleCounts: 0, maxResourceSize: 0n };

/** An image that somebody asks about. */
interface Asked {
  readonly format: number;
  readonly type: number;
  readonly tiling: number;
  readonly usage: number;
  readonly flags: number;
}

/** Makes the hooks of the queries about images, which agree with the changed formats and limits. */
export function imageFormatHooks(current: () => Settings): NonNullable<Layer["commands"]> {
  const answer = (asked: Asked, out: bigint, below: () => number) => {
    const settings = current();
    if (!isSupported(settings, asked)) {
      apply(patchOf("VkImageFormatProperties", NOTHING), out);
      return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    const result = below();
    if (result >= 0) lower(settings.imageLimits, asked, out);
    return result;
  };
  const formats2: Hook<"vkGetPhysicalDeviceImageFormatProperties2"> = (next, gpu, info, out) =>
    answer(askedAt("VkPhysicalDeviceImageFormatInfo2", info), out + INNER, () => next(gpu, info, out));
  const sparse2: Hook<"vkGetPhysicalDeviceSparseImageFormatProperties2"> = (next, gpu, info, count, out) =>
    isSupported(current(), askedAt("VkPhysicalDeviceSparseImageFormatInfo2", info))
      ? next(gpu, info, count, out)
      : poke32(count, 0);
  return {
    vkGetPhysicalDeviceImageFormatProperties: (next, gpu, format, type, tiling, usage, flags, out) =>
      answer(
        { format, type, tiling, usage, flags },
        out,
        () => next(gpu, format, type, tiling, usage, flags, out),
      ),
    vkGetPhysicalDeviceExternalImageFormatPropertiesNV: (next, gpu, format, type, tiling, usage, flags, handles, out) =>
      answer(
        { format, type, tiling, usage, flags },
        out,
        () => next(gpu, format, type, tiling, usage, flags, handles, out),
      ),
    vkGetPhysicalDeviceImageFormatProperties2: formats2,
    vkGetPhysicalDeviceImageFormatProperties2KHR: formats2,
    vkGetPhysicalDeviceSparseImageFormatProperties: (next, gpu, format, type, samples, usage, tiling, count, out) =>
      isSupported(current(), { format, type, tiling, usage, flags: 0 })
        ? next(gpu, format, type, samples, usage, tiling, count, out)
        : poke32(count, 0),
    vkGetPhysicalDeviceSparseImageFormatProperties2: sparse2,
    vkGetPhysicalDeviceSparseImageFormatProperties2KHR: sparse2,
  };
}

function askedAt(struct: string, info: bigint): Asked {
  return { flags: 0, ...structAt(struct, info) } as unknown as Asked;
}

/** Tilings of modifiers have the features of one of the other two. */
function isSupported({ formatValues }: Settings, { format, tiling, usage, flags }: Asked): boolean {
  const values = formatValues.get(format);
  if (!values) return true;
  const { linearTilingFeatures: linear, optimalTilingFeatures: optimal } = values;
  const features = tiling === VK_IMAGE_TILING_LINEAR
    ? linear
    : tiling === VK_IMAGE_TILING_OPTIMAL
    ? optimal
    : linear | optimal;
  if (features === 0 || (flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) !== 0) return features !== 0;
  return NEEDED.every(([bit, needed]) => (usage & bit) === 0 || (features & needed) !== 0);
}

/** Changed limits on the size of images. */
export type ImageLimits = Partial<VkPhysicalDeviceLimits>;

/** No image is larger than a limit that was given. */
function lower(limits: ImageLimits, { type, flags }: Asked, out: bigint): void {
  const { maxExtent, maxArrayLayers, maxMipLevels } = structAt("VkImageFormatProperties", out) as unknown as {
    maxExtent: { width: number; height: number; depth: number };
    maxArrayLayers: number;
    maxMipLevels: number;
  };
  const most = sizeLimit(limits, type, flags) ?? Infinity;
  const { width, height, depth } = maxExtent, largest = Math.min(most, Math.max(width, height, depth));
  const lowered = {
    maxExtent: { width: Math.min(width, most), height: Math.min(height, most), depth: Math.min(depth, most) },
    maxMipLevels: Math.min(maxMipLevels, 32 - Math.clz32(largest)),
    maxArrayLayers: Math.min(maxArrayLayers, limits.maxImageArrayLayers ?? Infinity),
  };
  apply(patchOf("VkImageFormatProperties", lowered), out);
}

function sizeLimit(limits: ImageLimits, type: number, flags: number): number | undefined {
  if (type === VK_IMAGE_TYPE_1D) return limits.maxImageDimension1D;
  if (type === VK_IMAGE_TYPE_3D) return limits.maxImageDimension3D;
  const { maxImageDimension2D: flat, maxImageDimensionCube: cube } = limits;
  return (flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) === 0 ? flat : cube ?? flat;
}

/** A list of modifiers and its element, by the list's name. */
const MODIFIERS: Readonly<Record<string, string>> = {
  VkDrmFormatModifierPropertiesListEXT: "VkDrmFormatModifierPropertiesEXT",
  VkDrmFormatModifierPropertiesList2EXT: "VkDrmFormatModifierProperties2EXT",
};

const TILING_FEATURES = "drmFormatModifierTilingFeatures";

/** Takes features from every modifier of a format, in a list at an address; all modifiers, if there are no features. */
export function lowerModifiers(name: string, address: bigint, values: VkFormatProperties): void {
  const element = MODIFIERS[name], features = values.linearTilingFeatures | values.optimalTilingFeatures;
  if (element === undefined) return;
  if (features === 0) return apply(patchOf(name, { drmFormatModifierCount: 0 }), address);
  const [count, array] = layoutOf(name).fields.slice(2).map(({ offset }) => address + BigInt(offset));
  const { size, fields } = layoutOf(element), field = fields.find((each) => each.name === TILING_FEATURES)!;
  const first = peek64(array), length = first === 0n ? 0 : peek32(count);
  for (let index = 0; index < length; index++) {
    const at = first + BigInt(size * index + field.offset);
    const left = (peek32(at) & features) >>> 0;
    if (field.kind === "u64") poke64(at, BigInt(left)); // without newer features, which VkFormatProperties cannot name
    else poke32(at, left);
  }
}
