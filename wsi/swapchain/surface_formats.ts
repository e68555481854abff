import { arena } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../../loader/codec/codec.ts";
import {
  VK_COLOR_SPACE_ADOBERGB_LINEAR_EXT,
  VK_COLOR_SPACE_ADOBERGB_NONLINEAR_EXT,
  VK_COLOR_SPACE_BT2020_LINEAR_EXT,
  VK_COLOR_SPACE_BT709_LINEAR_EXT,
  VK_COLOR_SPACE_BT709_NONLINEAR_EXT,
  VK_COLOR_SPACE_DCI_P3_NONLINEAR_EXT,
  VK_COLOR_SPACE_DISPLAY_P3_LINEAR_EXT,
  VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT,
  VK_COLOR_SPACE_DOLBYVISION_EXT,
  VK_COLOR_SPACE_HDR10_HLG_EXT,
  VK_COLOR_SPACE_HDR10_ST2084_EXT,
  VK_COLOR_SPACE_PASS_THROUGH_EXT,
} from "../../loader/gen/enums_khr_gen.js";
import {
  VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT,
  VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT,
  VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
  VK_FORMAT_A2B10G10R10_UNORM_PACK32,
  VK_FORMAT_B8G8R8A8_SRGB,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16,
  VK_FORMAT_R16G16B16A16_SFLOAT,
  VK_FORMAT_R5G6B5_UNORM_PACK16,
  VK_FORMAT_R8_UNORM,
  VK_FORMAT_R8G8B8_UNORM,
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_TILING_OPTIMAL,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
  VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT,
} from "../../loader/gen/native_gen.ts";
import { DATASPACE, FORMAT, LINEAR_DATASPACE } from "../android_values.ts";
import { pixelFormatOf } from "../buffer/hal_format.ts";
import { queryCommand } from "./device_facts.ts";
import type { Below, InstanceState } from "./environment.ts";
import { VK } from "./results.ts";

/**
 * The `android_dataspace` of buffers whose values have no defined meaning. The window is not told about this dataspace.
 */
export const { ARBITRARY } = DATASPACE;
/** The `android_dataspace` of a color space that Android's swapchain does not know. */
export const { UNKNOWN } = DATASPACE;

const DATASPACES: Readonly<Record<number, number>> = {
  [VK_COLOR_SPACE_SRGB_NONLINEAR_KHR]: DATASPACE.V0_SRGB,
  [VK_COLOR_SPACE_BT709_NONLINEAR_EXT]: DATASPACE.V0_SRGB,
  [VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT]: DATASPACE.DISPLAY_P3,
  [VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT]: DATASPACE.V0_SCRGB_LINEAR,
  [VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT]: DATASPACE.V0_SCRGB,
  [VK_COLOR_SPACE_DISPLAY_P3_LINEAR_EXT]: LINEAR_DATASPACE.DISPLAY_P3, // the same value as VK_COLOR_SPACE_DCI_P3_LINEAR_EXT
  [VK_COLOR_SPACE_DCI_P3_NONLINEAR_EXT]: DATASPACE.DCI_P3,
  [VK_COLOR_SPACE_BT709_LINEAR_EXT]: DATASPACE.V0_SRGB_LINEAR,
  [VK_COLOR_SPACE_BT2020_LINEAR_EXT]: LINEAR_DATASPACE.BT2020,
  [VK_COLOR_SPACE_HDR10_ST2084_EXT]: DATASPACE.BT2020_PQ,
  [VK_COLOR_SPACE_DOLBYVISION_EXT]: DATASPACE.BT2020_PQ,
  [VK_COLOR_SPACE_HDR10_HLG_EXT]: DATASPACE.BT2020_HLG,
  [VK_COLOR_SPACE_ADOBERGB_LINEAR_EXT]: LINEAR_DATASPACE.ADOBE_RGB,
  [VK_COLOR_SPACE_ADOBERGB_NONLINEAR_EXT]: DATASPACE.ADOBE_RGB,
  [VK_COLOR_SPACE_PASS_THROUGH_EXT]: ARBITRARY,
};

/** The `android_dataspace` of a swapchain's buffers; {@linkcode UNKNOWN} for a color space without one. */
export function dataspaceOf(colorSpace: number, format: number): number {
  if (colorSpace === VK_COLOR_SPACE_BT2020_LINEAR_EXT && format === VK_FORMAT_R16G16B16A16_SFLOAT) {
    return LINEAR_DATASPACE.EXTENDED_BT2020;
  }
  return DATASPACES[colorSpace] ?? UNKNOWN;
}

/** The color spaces that VK_EXT_swapchain_colorspace adds to each format, in Android's order. */
const WIDE_COLOR_SPACES: readonly number[] = [
  VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT,
  VK_COLOR_SPACE_DISPLAY_P3_LINEAR_EXT,
  VK_COLOR_SPACE_DCI_P3_NONLINEAR_EXT,
  VK_COLOR_SPACE_BT709_LINEAR_EXT,
  VK_COLOR_SPACE_BT709_NONLINEAR_EXT,
  VK_COLOR_SPACE_BT2020_LINEAR_EXT,
  VK_COLOR_SPACE_HDR10_ST2084_EXT,
  VK_COLOR_SPACE_HDR10_HLG_EXT,
  VK_COLOR_SPACE_ADOBERGB_LINEAR_EXT,
  VK_COLOR_SPACE_ADOBERGB_NONLINEAR_EXT,
  VK_COLOR_SPACE_PASS_THROUGH_EXT,
];

const RGBA8 = VK_FORMAT_R8G8B8A8_UNORM,
  RGBA8_SRGB = VK_FORMAT_R8G8B8A8_SRGB,
  RGB8 = VK_FORMAT_R8G8B8_UNORM,
  RGB565 = VK_FORMAT_R5G6B5_UNORM_PACK16,
  RGBA_FP16 = VK_FORMAT_R16G16B16A16_SFLOAT,
  RGB10A2 = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
  R8 = VK_FORMAT_R8_UNORM,
  RGBA10X6 = VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16,
  BGRA8 = VK_FORMAT_B8G8R8A8_UNORM,
  BGRA8_SRGB = VK_FORMAT_B8G8R8A8_SRGB;
const SRGB_NONLINEAR = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
  EXTENDED_SRGB_LINEAR = VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT,
  EXTENDED_SRGB_NONLINEAR = VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT;
const REGROUPED = 17;

/** A VkSurfaceFormatKHR. */
export interface SurfaceFormat {
  /** VkFormat value. */
  readonly format: number;
  /** VkColorSpaceKHR value. */
  readonly colorSpace: number;
}

/** The facts that decide the list of a surface's formats. */
export interface FormatFacts {
  /** The Android release that is followed. */
  readonly release: number;
  /** Whether VK_EXT_swapchain_colorspace is enabled. */
  readonly wide: boolean;
  /** Whether BGRA is offered, unlike in Android's swapchain. */
  readonly bgra: boolean;
  /** Whether buffers of a VkFormat can be drawn into and sampled. */
  supports(format: number): boolean;
}

/** The HAL_PIXEL_FORMAT of a swapchain with a VkFormat; RGBA_8888 for a format that Android does not know. */
export function halFormat(format: number): number {
  if (format === RGBA10X6) return FORMAT.RGBA_10101010;
  return pixelFormatOf(format)?.hal ?? FORMAT.RGBA_8888;
}

/** The formats of a surface in Android's order. */
export function surfaceFormats(facts: FormatFacts): SurfaceFormat[] {
  const wide = facts.wide ? WIDE_COLOR_SPACES : [], spaces = [SRGB_NONLINEAR, ...wide];
  const across = (format: number, all = spaces) => all.map((colorSpace) => ({ format, colorSpace }));
  const supported = (format: number, all?: readonly number[]) =>
    facts.supports(format) ? across(format, all as number[]) : [];
  const extended = facts.wide ? [EXTENDED_SRGB_LINEAR, EXTENDED_SRGB_NONLINEAR] : [];
  return [
    ...rgba8(facts.release, spaces),
    ...supported(RGB565),
    ...supported(RGBA_FP16, [SRGB_NONLINEAR, ...wide, ...extended]),
    ...supported(RGB10A2),
    ...facts.wide ? supported(R8, [VK_COLOR_SPACE_PASS_THROUGH_EXT]) : [],
    ...supported(RGBA10X6),
    ...facts.release >= REGROUPED ? supported(RGB8) : [],
    ...facts.bgra ? [...supported(BGRA8), ...supported(BGRA8_SRGB)] : [],
  ];
}

function rgba8(release: number, spaces: readonly number[]): SurfaceFormat[] {
  const pair = [RGBA8, RGBA8_SRGB];
  if (release >= REGROUPED) return pair.flatMap((format) => spaces.map((colorSpace) => ({ format, colorSpace })));
  return spaces.flatMap((colorSpace) => pair.map((format) => ({ format, colorSpace })));
}

const COMPRESSION_CONTROL = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
  COMPRESSION_PROPERTIES = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT;
/** The last release in which every failure counts. Later releases pass over formats that cannot be compressed. */
const STRICT_RELEASE = 16;

/** The returned members of VkImageCompressionPropertiesEXT. */
interface Compression {
  readonly imageCompressionFlags: number;
  readonly imageCompressionFixedRateFlags: number;
}

/** The arguments of a query for compression. */
interface CompressionQuery {
  readonly context: Below;
  readonly instance: InstanceState;
  readonly gpu: bigint;
  /** The Android release that is followed. */
  readonly release: number;
}

/**
 * The driver's own compression of images of a format; `undefined` if the driver does not report any, a negative
 * VkResult for a failure that counts.
 */
export function compressionOf(query: CompressionQuery, format: number): Compression | number | undefined {
  const { context, instance, gpu, release } = query;
  const command = queryCommand(instance, "vkGetPhysicalDeviceImageFormatProperties2");
  if (!command) return undefined;
  const { encodeOut, decode, size } = codec("VkImageFormatProperties2"), memory = arena(), at = memory.alloc(size);
  encodeOut({ pNext: [COMPRESSION_PROPERTIES] }, at);
  const info = context.write("VkPhysicalDeviceImageFormatInfo2", {
    pNext: [{ sType: COMPRESSION_CONTROL }],
    format,
    type: VK_IMAGE_TYPE_2D,
    tiling: VK_IMAGE_TILING_OPTIMAL,
    usage: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  } as never);
  const result = context.below(gpu)[command](gpu, info, memory.address(at));
  if (result >= 0) return (decode(at).pNext as StructObject[])[0] as unknown as Compression;
  const counts = release <= STRICT_RELEASE || result === VK.OUT_OF_HOST_MEMORY || result === VK.OUT_OF_DEVICE_MEMORY;
  return counts ? result : undefined;
}
