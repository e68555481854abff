import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../buffer/known_buffers.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { colorFormatsOf } from "./color_format.ts";
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
  const { format, extent, imageType, mipLevels, arrayLayers, samples } = info,
    formats = colorFormatsOf(format as number);
  const { width, height, depth } = extent as Record<string, number>;
  if (imageType !== 1 || mipLevels !== 1 || arrayLayers !== 1 || samples !== 1 || depth !== 1) {
    return "it is 2D, with one level, one layer and one sample";
  }
  if (width !== buffer.width || height !== buffer.height) {
    return `it has ${buffer.width}x${buffer.height} pixels, the image ${width}x${height}`;
  }
  if (formats.length === 0) return `VkFormat ${format} is none of gralloc's`;
  const own = buffer.pixelFormat;
  if (!formats.some(({ hal }) => hal === own.hal)) {
    return `its format is ${own.name}, VkFormat ${format} is ${formats[0].name}`;
  }
}
