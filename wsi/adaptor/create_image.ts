import { peek64 } from "../../ffi/machine.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../buffer/known_buffers.ts";
import { pixelFormatOf } from "../pixel_format.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { RESULT, STYPE, TILING } from "./constants.ts";
import { driverLayout, FOR_HOST_MEMORY, requirementsOf } from "./driver_layout.ts";
import { importHost } from "./host_memory.ts";
import { NativeImage } from "./native_image.ts";
import type { Tier } from "./options.ts";
import { type StructObject, without, write } from "./struct.ts";

/** Calls vkCreateImage below with a VkImageCreateInfo; the handle is where the caller wants it. */
export interface Creation {
  /** The application's VkImageCreateInfo. */
  readonly info: StructObject;
  /** Its VkNativeBufferANDROID. */
  readonly native: StructObject;
  /** Goes on below with another VkImageCreateInfo. */
  create(info: bigint): number;
  /** Where the handle is then. */
  readonly out: bigint;
}

/** Makes the image of a buffer. Returns the VkResult. */
export function createNativeImage(device: AdaptorDevice, creation: Creation): number {
  const buffer = bufferOfHandle(creation.native.handle as bigint);
  if (!buffer) {
    device.say("VkNativeBufferANDROID.handle is no buffer that gralloc allocated here; pass GraphicBuffer.handle");
    return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  }
  const mismatch = mismatchOf(creation.info, buffer);
  if (mismatch) {
    device.say(`Cannot make an image of buffer ${buffer.id}: ${mismatch}`);
    return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  }
  const kind = kindOf(creation.info), choice = device.tiers.of(kind);
  if (!choice) {
    device.say(`No image of format ${kind.format} and usage 0x${kind.usage.toString(16)} can be a native buffer`);
    return RESULT.ERROR_FORMAT_NOT_SUPPORTED;
  }
  return createShared(device, creation, buffer, choice.tier);
}

/** What VkImageCreateInfo says that the tier depends on. */
export function kindOf({ format, usage, flags, extent }: StructObject) {
  const { width, height } = extent as { width: number; height: number };
  return { format: format as number, usage: usage as number, flags: flags as number, width, height };
}

function mismatchOf({ format, extent, mipLevels, arrayLayers, samples }: StructObject, buffer: GraphicBuffer) {
  const { width, height, depth } = extent as Record<string, number>, pixels = pixelFormatOf(format as number);
  if (width !== buffer.width || height !== buffer.height || depth !== 1) {
    return `it has ${buffer.width}x${buffer.height} pixels, the image ${width}x${height}x${depth}`;
  }
  if (mipLevels !== 1 || arrayLayers !== 1 || samples !== 1) return "it has one level, layer and sample";
  if (!pixels) return `VkFormat ${format} is none of gralloc's`;
  if (pixels.bytesPerPixel * buffer.stride !== buffer.rowPitch) {
    return `its pixels have ${
      buffer.rowPitch / buffer.stride
    } bytes, those of VkFormat ${format} ${pixels.bytesPerPixel}`;
  }
}

function createShared(
  device: AdaptorDevice,
  { info, create, out }: Creation,
  buffer: GraphicBuffer,
  tier: Tier,
): number {
  const layout = driverLayout(device, kindOf(info), tier);
  if (layout?.rowPitch !== buffer.rowPitch || layout.size > buffer.memory.size) {
    device.say(`Buffer ${buffer.id} has rows of ${buffer.rowPitch} bytes, the driver wants ${layout?.rowPitch}`);
    return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  }
  const tiling = tier === "linear" ? TILING.LINEAR : TILING.OPTIMAL;
  const result = create(
    write("VkImageCreateInfo", { ...info, tiling, pNext: [...plainChain(info), ...FOR_HOST_MEMORY] }),
  );
  if (result < 0) return result;
  const image = peek64(out), memory = importHost(device, buffer.memory, requirementsOf(device, image));
  if (typeof memory === "number") {
    device.commands.vkDestroyImage(device.handle, image, 0n);
    return memory;
  }
  const bound = device.commands.vkBindImageMemory(device.handle, image, memory, 0n);
  const native = new NativeImage(device, image, buffer, tier, memory);
  if (bound < 0) {
    native.close();
    device.commands.vkDestroyImage(device.handle, image, 0n);
  }
  return bound;
}

/** The chain without what only Android's window system knows. */
export function plainChain(info: StructObject): StructObject[] {
  return without(
    info,
    STYPE.NATIVE_BUFFER,
    STYPE.SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
    STYPE.IMAGE_SWAPCHAIN_CREATE_INFO,
  );
}
