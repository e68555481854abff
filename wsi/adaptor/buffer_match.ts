import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../buffer/known_buffers.ts";
import { pixelFormatOf } from "../pixel_format.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import type { StructObject } from "./struct.ts";

/** The buffer with a native_handle_t, if an image by this VkImageCreateInfo can be made of it; else says why not. */
export function bufferFor(device: AdaptorDevice, handle: bigint, info: StructObject): GraphicBuffer | undefined {
  const buffer = bufferOfHandle(handle);
  if (!buffer) {
    const found = `0x${handle.toString(16)}`;
    device.say(`VkNativeBufferANDROID.handle ${found} is no open buffer of this process; pass GraphicBuffer.handle`);
    return undefined;
  }
  const mismatch = mismatchOf(info, buffer);
  if (mismatch === undefined) return buffer;
  device.say(`Cannot make an image of buffer ${buffer.id}: ${mismatch}; give the image what the buffer has`);
}

function mismatchOf(info: StructObject, buffer: GraphicBuffer): string | undefined {
  const { format, extent, imageType, mipLevels, arrayLayers, samples } = info;
  const { width, height, depth } = extent as Record<string, number>, pixels = pixelFormatOf(format as number);
  if (imageType !== 1 || mipLevels !== 1 || arrayLayers !== 1 || samples !== 1 || depth !== 1) {
    return "it is 2D, with one level, one layer and one sample";
  }
  if (width !== buffer.width || height !== buffer.height) {
    return `it has ${buffer.width}x${buffer.height} pixels, the image ${width}x${height}`;
  }
  if (!pixels) return `VkFormat ${format} is none of gralloc's`;
  const own = buffer.rowPitch / buffer.stride;
  if (pixels.bytesPerPixel !== own) {
    return `its pixels have ${own} bytes, those of VkFormat ${format} ${pixels.bytesPerPixel}`;
  }
  if (!isSameFormat(pixels.hal, buffer.format)) {
    return `its format is HAL_PIXEL_FORMAT ${buffer.format}, VkFormat ${format} is ${pixels.hal}`;
  }
}

/** RGBX_8888 has the pixels of RGBA_8888. */
function isSameFormat(one: number, other: number): boolean {
  const RGBA = 1, RGBX = 2;
  return one === other || one === RGBA && other === RGBX;
}
