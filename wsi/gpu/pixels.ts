import {
  VK_FORMAT_B8G8R8A8_SRGB,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
} from "../../loader/gen/enums_core_gen.js";
import type { VkFormat } from "../../loader/types.ts";
import type { Picture } from "../consumer/pixels/convert.ts";
import { readImage } from "./bare_image.ts";
import { type Bench, duringCall } from "./bench.ts";
import { changeLayout, type GpuImage } from "./image.ts";
import { submit } from "./submit.ts";

const RGBA: readonly VkFormat[] = [VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB];
const BGRA: readonly VkFormat[] = [VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB];

/**
 * Reads an image with four bytes in each pixel, RGBA or BGRA, as RGBA. Afterwards the image is in
 * VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL.
 *
 * @throws {TypeError} for another format.
 */
export function readPixels(bench: Bench, image: GpuImage): Picture<Uint8Array> {
  const { width, height, format } = image, isSwapped = BGRA.includes(format);
  if (!isSwapped && !RGBA.includes(format)) {
    throw new TypeError(
      `Cannot read pixels of format ${format}: copy them to an image of VK_FORMAT_R8G8B8A8_UNORM first`,
    );
  }
  const data = duringCall(bench, (own) => copyOut(own, image));
  if (isSwapped) { for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2], data[at]]; }
  return { width, height, data };
}

function copyOut(bench: Bench, image: GpuImage): Uint8Array {
  const { width, height, aspectMask } = image, layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  submit(bench, (commands) => changeLayout(commands, image, layout));
  const region = { imageSubresource: { aspectMask }, imageExtent: { width, height } };
  return readImage(bench, image.image, layout, 4 * width * height, region).bytes.slice();
}
