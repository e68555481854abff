import {
  VK_FORMAT_A2B10G10R10_UNORM_PACK32,
  VK_FORMAT_B8G8R8A8_SRGB,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_D16_UNORM,
  VK_FORMAT_D24_UNORM_S8_UINT,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_D32_SFLOAT_S8_UINT,
  VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
  VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
  VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM,
  VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM,
  VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
  VK_FORMAT_G8_B8R8_2PLANE_422_UNORM,
  VK_FORMAT_G8B8G8R8_422_UNORM,
  VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16,
  VK_FORMAT_R16_UINT,
  VK_FORMAT_R16_UNORM,
  VK_FORMAT_R16G16_UINT,
  VK_FORMAT_R16G16B16A16_SFLOAT,
  VK_FORMAT_R5G6B5_UNORM_PACK16,
  VK_FORMAT_R8_UNORM,
  VK_FORMAT_R8G8B8_SRGB,
  VK_FORMAT_R8G8B8_UNORM,
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_FORMAT_S8_UINT,
  VK_FORMAT_UNDEFINED,
  VK_FORMAT_X8_D24_UNORM_PACK32,
} from "../../loader/gen/native_gen.ts";
import { FORMAT } from "../android_values.ts";

/** The arrangement of a format's bytes in memory; see {@linkcode layOut}. */
export type PixelArrangement =
  | "packed"
  | "yv12"
  | "i420"
  | "i422"
  | "i444"
  | "nv12"
  | "nv21"
  | "nv16"
  | "p010"
  | "raw10"
  | "raw12"
  | "bytes"
  | "chosen";

/** A format of gralloc buffers, with the numbers of `system/graphics.h`. */
export interface HalFormat {
  /** The name in Android's headers, such as `HAL_PIXEL_FORMAT_RGBA_8888`. */
  readonly name: string;
  /** HAL_PIXEL_FORMAT value. */
  readonly hal: number;
  /** VkFormat that reads the same bytes; 0 (`VK_FORMAT_UNDEFINED`) if there is none. */
  readonly vk: number;
  /** VkFormat that reads the same bytes as sRGB; 0 if there is none. */
  readonly srgb: number;
  /** DRM fourcc code; 0 if there is none. */
  readonly drm: number;
  /** Bytes of one pixel of the first plane; 0 if pixels share bytes, or if there are no pixels. */
  readonly bytesPerPixel: number;
  /** Number of planes for Vulkan. */
  readonly planes: number;
  /** The arrangement of the bytes in memory. */
  readonly arrangement: PixelArrangement;
}

type Row = [name: keyof typeof FORMAT, vk: number, drm: string, bytes: number, more?: Partial<HalFormat>];

/** If two formats have the same VkFormat or fourcc, the first one is found. */
const ROWS: readonly Row[] = [
  ["RGBA_8888", VK_FORMAT_R8G8B8A8_UNORM, "AB24", 4, { srgb: VK_FORMAT_R8G8B8A8_SRGB }],
  ["RGBX_8888", VK_FORMAT_R8G8B8A8_UNORM, "XB24", 4, { srgb: VK_FORMAT_R8G8B8A8_SRGB }],
  ["RGB_888", VK_FORMAT_R8G8B8_UNORM, "BG24", 3, { srgb: VK_FORMAT_R8G8B8_SRGB }],
  ["RGB_565", VK_FORMAT_R5G6B5_UNORM_PACK16, "RG16", 2],
  ["BGRA_8888", VK_FORMAT_B8G8R8A8_UNORM, "AR24", 4, { srgb: VK_FORMAT_B8G8R8A8_SRGB }],
  ["RGBA_FP16", VK_FORMAT_R16G16B16A16_SFLOAT, "AB4H", 8],
  ["RGBA_1010102", VK_FORMAT_A2B10G10R10_UNORM_PACK32, "AB30", 4],
  ["RGBA_10101010", VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16, "AB10", 8],
  ["R_8", VK_FORMAT_R8_UNORM, "R8  ", 1],
  ["R_16_UINT", VK_FORMAT_R16_UINT, "R16 ", 2],
  ["RG_1616_UINT", VK_FORMAT_R16G16_UINT, "GR32", 4],
  ["DEPTH_16", VK_FORMAT_D16_UNORM, "", 2],
  ["DEPTH_24", VK_FORMAT_X8_D24_UNORM_PACK32, "", 4],
  ["DEPTH_24_STENCIL_8", VK_FORMAT_D24_UNORM_S8_UINT, "", 4],
  ["DEPTH_32F", VK_FORMAT_D32_SFLOAT, "", 4],
  ["DEPTH_32F_STENCIL_8", VK_FORMAT_D32_SFLOAT_S8_UINT, "", 8],
  ["STENCIL_8", VK_FORMAT_S8_UINT, "", 1],
  ["YCBCR_420_888", VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "YU12", 1, { planes: 3, arrangement: "i420" }],
  ["YV12", VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "YV12", 1, { planes: 3, arrangement: "yv12" }],
  ["YCRCB_420_SP", VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, "NV21", 1, { planes: 2, arrangement: "nv21" }],
  ["YCBCR_422_SP", VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, "NV16", 1, { planes: 2, arrangement: "nv16" }],
  ["YCBCR_422_I", VK_FORMAT_G8B8G8R8_422_UNORM, "YUYV", 2],
  ["YCBCR_422_888", VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, "YU16", 1, { planes: 3, arrangement: "i422" }],
  ["YCBCR_444_888", VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, "YU24", 1, { planes: 3, arrangement: "i444" }],
  ["YCBCR_P010", VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, "P010", 2, {
    planes: 2,
    arrangement: "p010",
  }],
  ["Y8", VK_FORMAT_R8_UNORM, "R8  ", 1],
  ["Y16", VK_FORMAT_R16_UNORM, "R16 ", 2],
  ["RAW16", VK_FORMAT_R16_UINT, "R16 ", 2],
  ["RAW10", VK_FORMAT_UNDEFINED, "", 0, { arrangement: "raw10" }],
  ["RAW12", VK_FORMAT_UNDEFINED, "", 0, { arrangement: "raw12" }],
  ["RAW_OPAQUE", VK_FORMAT_UNDEFINED, "", 0, { arrangement: "bytes" }],
  ["BLOB", VK_FORMAT_UNDEFINED, "R8  ", 0, { arrangement: "bytes" }],
  ["IMPLEMENTATION_DEFINED", VK_FORMAT_UNDEFINED, "", 0, { arrangement: "chosen" }],
];

/** Every format that gralloc can lay out. */
export const HAL_FORMATS: readonly HalFormat[] = ROWS.map(([name, vk, drm, bytesPerPixel, more]) => ({
  name: `HAL_PIXEL_FORMAT_${name}`,
  hal: FORMAT[name],
  vk,
  srgb: VK_FORMAT_UNDEFINED,
  drm: fourcc(drm),
  bytesPerPixel,
  planes: 1,
  arrangement: "packed",
  ...more,
}));

/**
 * NV12, the meaning of IMPLEMENTATION_DEFINED for cameras and video codecs. NV12 has no HAL_PIXEL_FORMAT value of its
 * own.
 */
export const NV12: HalFormat = {
  ...HAL_FORMATS.find(({ name }) => name.endsWith("YCBCR_420_888"))!,
  vk: VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
  drm: fourcc("NV12"),
  planes: 2,
  arrangement: "nv12",
};

/**
 * Returns the format of a HAL_PIXEL_FORMAT value; `undefined` if there is none.
 *
 * @example
 * ```ts
 * import { FORMAT, halFormatOf } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(halFormatOf(FORMAT.RGBA_8888)?.name, "HAL_PIXEL_FORMAT_RGBA_8888");
 * ```
 */
export function halFormatOf(hal: number): HalFormat | undefined {
  return HAL_FORMATS.find((format) => format.hal === hal);
}

/**
 * Returns the formats whose bytes a VkFormat reads, the most common first. An sRGB VkFormat has the same formats as its
 * UNORM counterpart.
 *
 * @example
 * ```ts
 * import { halFormatsOfVk } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(halFormatsOfVk(37)[0].name, "HAL_PIXEL_FORMAT_RGBA_8888"); // VK_FORMAT_R8G8B8A8_UNORM
 * ```
 */
export function halFormatsOfVk(vkFormat: number): readonly HalFormat[] {
  if (vkFormat === VK_FORMAT_UNDEFINED) return [];
  return [...HAL_FORMATS, NV12].filter(({ vk, srgb }) => vk === vkFormat || srgb === vkFormat);
}

/**
 * Returns the formats of a DRM fourcc code, the most common first.
 *
 * @example
 * ```ts
 * import { fourcc, halFormatsOfDrm } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(halFormatsOfDrm(fourcc("AB24"))[0].name, "HAL_PIXEL_FORMAT_RGBA_8888");
 * ```
 */
export function halFormatsOfDrm(code: number): readonly HalFormat[] {
  return code === 0 ? [] : [...HAL_FORMATS, NV12].filter(({ drm }) => drm === code);
}

/**
 * Packs four letters into a DRM fourcc code, as `drm_fourcc.h` does; 0 for an empty text.
 *
 * @example
 * ```ts
 * import { fourcc } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fourcc("NV12"), 0x3231564e);
 * ```
 */
export function fourcc(letters: string): number {
  return Array.from(letters).reduce((code, letter, index) => code | letter.charCodeAt(0) << 8 * index, 0);
}

/** One way pixels lie in a gralloc buffer, and the Vulkan format that reads the same bytes. */
export interface PixelFormat {
  /** The name in Android's `system/graphics.h`. */
  readonly name: string;
  /** HAL_PIXEL_FORMAT value. */
  readonly hal: number;
  /** VkFormat value. */
  readonly vk: number;
  /** Bytes of one pixel. */
  readonly bytesPerPixel: number;
}

/**
 * The formats that Android's swapchain knows (libvulkan, GetNativePixelFormat), and BGRA, which ours offers off Android;
 * each is reached from one VkFormat and its sRGB twin.
 */
const SWAPCHAIN_FORMATS: readonly HalFormat[] = [
  FORMAT.RGBA_8888,
  FORMAT.RGB_888,
  FORMAT.RGB_565,
  FORMAT.RGBA_FP16,
  FORMAT.RGBA_1010102,
  FORMAT.R_8,
  FORMAT.BGRA_8888,
].map((hal) => halFormatOf(hal)!);

/**
 * The gralloc format of a VkFormat as Android's swapchain picks it, `undefined`
 * when it has none. sRGB formats share the bytes of their UNORM twins.
 *
 * @example
 * ```ts
 * import { pixelFormatOf } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(pixelFormatOf(43)?.name, "HAL_PIXEL_FORMAT_RGBA_8888"); // VK_FORMAT_R8G8B8A8_SRGB
 * assertEquals(pixelFormatOf(0), undefined);
 * ```
 */
export function pixelFormatOf(vkFormat: number): PixelFormat | undefined {
  if (vkFormat === VK_FORMAT_UNDEFINED) return undefined;
  return SWAPCHAIN_FORMATS.find(({ vk, srgb }) => vk === vkFormat || srgb === vkFormat);
}

/**
 * The gralloc format with a HAL_PIXEL_FORMAT value, `undefined` when the swapchain does not know it.
 *
 * @example
 * ```ts
 * import { FORMAT, pixelFormatOfHal } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(pixelFormatOfHal(FORMAT.RGBA_8888)?.vk, 37); // VK_FORMAT_R8G8B8A8_UNORM
 * ```
 */
export function pixelFormatOfHal(hal: number): PixelFormat | undefined {
  return SWAPCHAIN_FORMATS.find((format) => format.hal === hal);
}
