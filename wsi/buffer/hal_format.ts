import {
  VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
  VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
  VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM,
  VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM,
  VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
  VK_FORMAT_G8_B8R8_2PLANE_422_UNORM,
  VK_FORMAT_G8B8G8R8_422_UNORM,
  VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16,
} from "../../loader/gen/native_gen.ts";
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

type Row = [name: string, hal: number, vk: number, drm: string, bytes: number, more?: Partial<HalFormat>];

const RGB_VK_SRGB = { R8G8B8A8: 43, R8G8B8: 29, B8G8R8A8: 50 };

/**
 * If two formats have the same VkFormat or fourcc, the first one is found. The names of VkFormats are behind their
 * rows.
 */
const ROWS: readonly Row[] = [
  ["RGBA_8888", 0x1, 37, "AB24", 4, { srgb: RGB_VK_SRGB.R8G8B8A8 }], // R8G8B8A8_UNORM
  ["RGBX_8888", 0x2, 37, "XB24", 4, { srgb: RGB_VK_SRGB.R8G8B8A8 }],
  ["RGB_888", 0x3, 23, "BG24", 3, { srgb: RGB_VK_SRGB.R8G8B8 }], // R8G8B8_UNORM
  ["RGB_565", 0x4, 4, "RG16", 2], // R5G6B5_UNORM_PACK16
  ["BGRA_8888", 0x5, 44, "AR24", 4, { srgb: RGB_VK_SRGB.B8G8R8A8 }], // B8G8R8A8_UNORM
  ["RGBA_FP16", 0x16, 97, "AB4H", 8], // R16G16B16A16_SFLOAT
  ["RGBA_1010102", 0x2b, 64, "AB30", 4], // A2B10G10R10_UNORM_PACK32
  ["RGBA_10101010", 0x3b, VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16, "AB10", 8],
  ["R_8", 0x38, 9, "R8  ", 1], // R8_UNORM
  ["R_16_UINT", 0x39, 74, "R16 ", 2], // R16_UINT
  ["RG_1616_UINT", 0x3a, 81, "GR32", 4], // R16G16_UINT
  ["DEPTH_16", 0x30, 124, "", 2], // D16_UNORM
  ["DEPTH_24", 0x31, 125, "", 4], // X8_D24_UNORM_PACK32
  ["DEPTH_24_STENCIL_8", 0x32, 129, "", 4], // D24_UNORM_S8_UINT
  ["DEPTH_32F", 0x33, 126, "", 4], // D32_SFLOAT
  ["DEPTH_32F_STENCIL_8", 0x34, 130, "", 8], // D32_SFLOAT_S8_UINT
  ["STENCIL_8", 0x35, 127, "", 1], // S8_UINT
  ["YCBCR_420_888", 0x23, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "YU12", 1, { planes: 3, arrangement: "i420" }],
  ["YV12", 0x32315659, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "YV12", 1, { planes: 3, arrangement: "yv12" }],
  ["YCRCB_420_SP", 0x11, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, "NV21", 1, { planes: 2, arrangement: "nv21" }],
  ["YCBCR_422_SP", 0x10, VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, "NV16", 1, { planes: 2, arrangement: "nv16" }],
  ["YCBCR_422_I", 0x14, VK_FORMAT_G8B8G8R8_422_UNORM, "YUYV", 2],
  ["YCBCR_422_888", 0x27, VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, "YU16", 1, { planes: 3, arrangement: "i422" }],
  ["YCBCR_444_888", 0x28, VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, "YU24", 1, { planes: 3, arrangement: "i444" }],
  ["YCBCR_P010", 0x36, VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, "P010", 2, {
    planes: 2,
    arrangement: "p010",
  }],
  ["Y8", 0x20203859, 9, "R8  ", 1],
  ["Y16", 0x20363159, 70, "R16 ", 2], // R16_UNORM
  ["RAW16", 0x20, 74, "R16 ", 2],
  ["RAW10", 0x25, 0, "", 0, { arrangement: "raw10" }],
  ["RAW12", 0x26, 0, "", 0, { arrangement: "raw12" }],
  ["RAW_OPAQUE", 0x24, 0, "", 0, { arrangement: "bytes" }],
  ["BLOB", 0x21, 0, "R8  ", 0, { arrangement: "bytes" }],
  ["IMPLEMENTATION_DEFINED", 0x22, 0, "", 0, { arrangement: "chosen" }],
];

/** Every format that gralloc can lay out. */
export const HAL_FORMATS: readonly HalFormat[] = ROWS.map(([name, hal, vk, drm, bytesPerPixel, more]) => ({
  name: `HAL_PIXEL_FORMAT_${name}`,
  hal,
  vk,
  srgb: 0,
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

/** Returns the format of a HAL_PIXEL_FORMAT value; `undefined` if there is none. */
export function halFormatOf(hal: number): HalFormat | undefined {
  return HAL_FORMATS.find((format) => format.hal === hal);
}

/**
 * Returns the formats whose bytes a VkFormat reads, the most common first. An sRGB VkFormat has the same formats as its
 * UNORM counterpart.
 */
export function halFormatsOfVk(vkFormat: number): readonly HalFormat[] {
  if (vkFormat === 0) return [];
  return [...HAL_FORMATS, NV12].filter(({ vk, srgb }) => vk === vkFormat || srgb === vkFormat);
}

/** Returns the formats of a DRM fourcc code, the most common first. */
export function halFormatsOfDrm(code: number): readonly HalFormat[] {
  return code === 0 ? [] : [...HAL_FORMATS, NV12].filter(({ drm }) => drm === code);
}

/** Packs four letters into a DRM fourcc code, as `drm_fourcc.h` does; 0 for an empty text. */
export function fourcc(letters: string): number {
  return Array.from(letters).reduce((code, letter, index) => code | letter.charCodeAt(0) << 8 * index, 0);
}
