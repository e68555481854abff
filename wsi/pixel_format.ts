import { halFormatOf } from "./buffer/hal_format.ts";

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

/** HAL numbers of the formats Android's swapchain knows (libvulkan, GetNativePixelFormat), and BGRA, which ours offers off Android; each is reached from one VkFormat and its sRGB twin. */
const SWAPCHAIN_FORMATS: readonly number[] = [0x1, 0x3, 0x4, 0x16, 0x2b, 0x38, 0x5];
const FORMATS = SWAPCHAIN_FORMATS.map((hal) => halFormatOf(hal)!);

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
  return vkFormat === 0 ? undefined : FORMATS.find(({ vk, srgb }) => vk === vkFormat || srgb === vkFormat);
}

/** The gralloc format with a HAL_PIXEL_FORMAT value, `undefined` when the swapchain does not know it. */
export function pixelFormatOfHal(hal: number): PixelFormat | undefined {
  return FORMATS.find((format) => format.hal === hal);
}
