import type { VkImageLayout } from "../../loader/types.ts";
import { makeBuffer } from "./buffer.ts";
import { changeLayout, type GpuImage } from "./image.ts";
import type { Picture } from "./picture.ts";
import { submit } from "./submit.ts";
import type { Workbench } from "./workbench.ts";

/** VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL; VK_FORMAT_R8G8B8A8_UNORM and _SRGB, B8G8R8A8_UNORM and _SRGB */
const TRANSFER_SRC = 6 as VkImageLayout, RGBA = [37, 43], BGRA = [44, 50];
/** VK_BUFFER_USAGE_TRANSFER_DST_BIT; VK_IMAGE_ASPECT_COLOR_BIT */
const TRANSFER_DST = 2, COLOR = 1;

/**
 * Reads an image of four bytes a pixel, RGBA or BGRA, as RGBA. Its layout is
 * VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL afterwards.
 *
 * @throws {TypeError} for another format.
 */
export function readPixels(bench: Workbench, image: GpuImage): Picture {
  const { width, height, format } = image, isSwapped = BGRA.includes(format);
  if (!isSwapped && !RGBA.includes(format)) {
    throw new TypeError(
      `Cannot read pixels of format ${format}: copy them to an image of VK_FORMAT_R8G8B8A8_UNORM first`,
    );
  }
  const { buffer, bytes } = makeBuffer(bench, 4 * width * height, TRANSFER_DST);
  submit(bench, (commands) => {
    changeLayout(commands, image, TRANSFER_SRC);
    const imageSubresource = { aspectMask: COLOR, layerCount: 1 }, imageExtent = { width, height, depth: 1 };
    commands.vkCmdCopyImageToBuffer(image.image, TRANSFER_SRC, buffer, [{ imageSubresource, imageExtent }]);
  });
  const data = bytes.slice();
  if (isSwapped) { for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2], data[at]]; }
  return { width, height, data };
}
