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

/** The formats Android's swapchain knows, with the VkFormat it gives to each (libvulkan, GetNativePixelFormat). */
const FORMATS: readonly PixelFormat[] = [
  { name: "HAL_PIXEL_FORMAT_RGBA_8888", hal: 1, vk: 37, bytesPerPixel: 4 }, // VK_FORMAT_R8G8B8A8_UNORM
  { name: "HAL_PIXEL_FORMAT_RGB_888", hal: 3, vk: 23, bytesPerPixel: 3 }, // VK_FORMAT_R8G8B8_UNORM
  { name: "HAL_PIXEL_FORMAT_RGB_565", hal: 4, vk: 4, bytesPerPixel: 2 }, // VK_FORMAT_R5G6B5_UNORM_PACK16
  { name: "HAL_PIXEL_FORMAT_RGBA_FP16", hal: 0x16, vk: 97, bytesPerPixel: 8 }, // VK_FORMAT_R16G16B16A16_SFLOAT
  { name: "HAL_PIXEL_FORMAT_RGBA_1010102", hal: 0x2b, vk: 64, bytesPerPixel: 4 }, // VK_FORMAT_A2B10G10R10_UNORM_PACK32
  { name: "HAL_PIXEL_FORMAT_R_8", hal: 0x38, vk: 9, bytesPerPixel: 1 }, // VK_FORMAT_R8_UNORM
];
/** VK_FORMAT_R8G8B8A8_SRGB and VK_FORMAT_R8G8B8_SRGB: same bytes as their UNORM formats. */
const SRGB_TWINS: Readonly<Record<number, number>> = { 43: 37, 29: 23 };

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
  const vk = SRGB_TWINS[vkFormat] ?? vkFormat;
  return FORMATS.find((format) => format.vk === vk);
}

/** The gralloc format with a HAL_PIXEL_FORMAT value, `undefined` when the swapchain does not know it. */
export function pixelFormatOfHal(hal: number): PixelFormat | undefined {
  return FORMATS.find((format) => format.hal === hal);
}
