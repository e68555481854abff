import {
  VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT,
  VK_FORMAT_A2B10G10R10_UNORM_PACK32,
  VK_FORMAT_B8G8R8A8_SRGB,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_R16G16B16A16_SFLOAT,
  VK_FORMAT_R5G6B5_UNORM_PACK16,
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  type VkColorSpaceKHR,
  type VkFormat,
} from "@pumice/gfx/vk";
import type { Extent } from "../draw/resources.ts";
import type { Canvas } from "./frame.ts";

/** Formats the scene can be drawn into, with the step from one value of a channel to the next; 0 for no dithering. */
const STEPS: ReadonlyMap<VkFormat, number> = new Map([
  [VK_FORMAT_R8G8B8A8_UNORM, 1 / 255],
  [VK_FORMAT_R8G8B8A8_SRGB, 0],
  [VK_FORMAT_B8G8R8A8_UNORM, 1 / 255],
  [VK_FORMAT_B8G8R8A8_SRGB, 0],
  [VK_FORMAT_R5G6B5_UNORM_PACK16, 1 / 31],
  [VK_FORMAT_A2B10G10R10_UNORM_PACK32, 1 / 1023],
  [VK_FORMAT_R16G16B16A16_SFLOAT, 0],
]);

/** The canvas for images in which the scene is drawn. Throws a `TypeError` for a format it does not know. */
export function canvasOf(
  { width, height }: Extent,
  format: VkFormat,
  colorSpace: VkColorSpaceKHR,
  numbered: boolean,
): Canvas {
  const step = STEPS.get(format);
  if (step === undefined) {
    throw new TypeError(`Cannot draw into images of VkFormat ${format}: take one of ${[...STEPS.keys()].join(", ")}`);
  }
  const isSrgb = format === VK_FORMAT_R8G8B8A8_SRGB || format === VK_FORMAT_B8G8R8A8_SRGB;
  const encodes = !isSrgb && colorSpace !== VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT;
  return { width, height, encodes, step, numbered };
}
