import { isMapped } from "../../ffi/mapped.ts";
import { importHandle } from "../buffer/gralloc.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../buffer/known_buffers.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { colorFormatsOf } from "./color_format.ts";
import type { StructObject } from "./struct.ts";
import { HANDLE_INTS } from "../buffer/native_handle.ts";
import { WsiError } from "../error.ts";

/** Bytes of a native_handle_t of gralloc's: three ints, a file descriptor, and its own ints. */
const HANDLE_SIZE = 4 * (3 + 1 + HANDLE_INTS);

/**
 * Another owner of the buffer with a native_handle_t, if an image by this
 * VkImageCreateInfo can be made of it; else says why not. The handle may be one
 * that was copied or sent from another process.
 */
export function bufferFor(device: AdaptorDevice, handle: bigint, info: StructObject): GraphicBuffer | undefined {
  const buffer = bufferOfHandle(handle)?.retain() ?? imported(device, handle);
  const mismatch = buffer && mismatchOf(info, buffer);
  if (mismatch === undefined) return buffer;
  device.say(`Cannot make an image of buffer ${buffer!.id}: ${mismatch}; give the image what the buffer has`);
  buffer!.close();
}

function imported(device: AdaptorDevice, handle: bigint): GraphicBuffer | undefined {
  const found = `VkNativeBufferANDROID.handle 0x${handle.toString(16)}`;
  if (handle === 0n || !isMapped(handle, HANDLE_SIZE)) {
    device.say(`${found} is not the address of a native_handle_t; pass GraphicBuffer.handle`);
    return undefined;
  }
  try {
    return importHandle(handle);
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    device.say(`${found} is of no open buffer of gralloc's: ${error.message}`);
  }
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
