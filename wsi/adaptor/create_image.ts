import { peek64 } from "../../ffi/machine.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { DriverDevice } from "./driver_device.ts";
import { type BackedDevice, Backing } from "./backing.ts";
import { IMAGE_USAGE, RESULT, STYPE, TILING } from "./constants.ts";
import { driverLayout, sharedForm, type SizedKind } from "./driver_layout.ts";
import { type ImageDevice, NativeImage } from "./native_image.ts";
import type { AdaptorTier } from "./options.ts";
import type { TieredDevice } from "./tiers.ts";
import { type StructObject, without, write } from "./struct.ts";
import { isMapped } from "../../ffi/mapped.ts";
import { isDmaBuf } from "../buffer/dma_buf.ts";
import { importHandle } from "../buffer/gralloc.ts";
import { bufferOfHandle } from "../buffer/known_buffers.ts";
import { colorFormatsOf } from "./image_support.ts";
import { MODIFIER, modifierName } from "../buffer/modifier.ts";
import { HANDLE_HEADER, handleSize } from "../buffer/native_handle.ts";
import { WsiError } from "../error.ts";
import { VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT } from "../../loader/gen/native_gen.ts";

/** A vkCreateImage that is the adaptor's affair. */
export interface Creation {
  /** The application's VkImageCreateInfo. */
  readonly info: StructObject;
  /** Goes on below with another VkImageCreateInfo. */
  create(info: bigint): number;
  /** Address that the handle was written to. */
  readonly out: bigint;
}

/** An image of a swapchain that will be bound to one of its buffers. */
export interface UnboundImage {
  /** The VkImageCreateInfo it was asked for with. */
  readonly info: StructObject;
  /** The place of its pixels. */
  readonly tier: AdaptorTier;
  /** On the tier "dma-buf", the bytes from one row to the next that it was made for. */
  readonly rowPitch: number;
}

/** A device on which images of buffers are created. */
interface CreatingDevice extends BackedDevice, ImageDevice, TieredDevice {
  /** Images of swapchains that are not bound to a buffer yet, by handle. */
  readonly unbound: Map<bigint, UnboundImage>;
}

/** Makes the image of the buffer that a VkNativeBufferANDROID names. Returns the VkResult. */
export function createNativeImage(device: CreatingDevice, creation: Creation, native: StructObject): number {
  using buffer = bufferFor(device, native.handle as bigint, creation.info);
  if (!buffer) return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  const choice = device.tiers.of(kindOf(creation.info));
  if (!choice) return refuseFormat(device, creation.info);
  const result = createOn(choice.tier, device, creation, buffer);
  if (result >= 0 || choice.tier === "staging" || !device.tiers.mayFallBack(kindOf(creation.info))) return result;
  device.say(
    `Pixels are copied to buffer ${buffer.id}: the driver cannot draw into it on the tier "${choice.tier}" (${result})`,
  );
  return createOn("staging", device, creation, buffer);
}

/** Creates an image of a swapchain that is bound to a buffer later. Returns the VkResult. */
export function createUnbound(device: CreatingDevice, { info, create, out }: Creation): number {
  const choice = device.tiers.of(kindOf(info));
  if (!choice) return refuseFormat(device, info);
  const { tier } = choice, rowPitch = tier === "dma-buf" ? driverLayout(device, kindOf(info), tier)?.rowPitch : 0;
  if (rowPitch === undefined) return refuseFormat(device, info);
  const result = create(changedInfo(info, tier, rowPitch));
  if (result >= 0) device.unbound.set(peek64(out), { info, tier, rowPitch });
  return result;
}

/** Binds such an image to the buffer with a native_handle_t. Returns the VkResult. */
export function bindUnbound(device: CreatingDevice, image: bigint, native: bigint): number {
  const unbound = device.unbound.get(image);
  if (!unbound) {
    device.say("Cannot bind an image to a native buffer: make it with VkImageSwapchainCreateInfoKHR");
    return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  }
  using buffer = bufferFor(device, native, unbound.info);
  if (!buffer || !fits(device, unbound, buffer)) return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  const result = bind(device, image, buffer, unbound.tier);
  if (result >= 0) device.unbound.delete(image);
  return result;
}

/** Returns the members of a VkImageCreateInfo that decide tier and layout. */
function kindOf({ format, usage, flags, extent }: StructObject): SizedKind {
  const { width, height } = extent as { width: number; height: number };
  return { format: format as number, usage: usage as number, flags: flags as number ?? 0, width, height };
}

function createOn(
  tier: AdaptorTier,
  device: CreatingDevice,
  { info, create, out }: Creation,
  buffer: GraphicBuffer,
): number {
  if (!fits(device, { info, tier, rowPitch: buffer.rowPitch }, buffer)) return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  const result = create(changedInfo(info, tier, buffer.rowPitch));
  if (result < 0) return result;
  const image = peek64(out), bound = bind(device, image, buffer, tier);
  if (bound < 0) device.commands.vkDestroyImage(device.handle, image, 0n);
  return bound;
}

/** Whether the driver lays out an image as the buffer is laid out. Copied images always fit. */
function fits(device: DriverDevice, { tier, info, rowPitch }: UnboundImage, buffer: GraphicBuffer): boolean {
  if (tier === "staging") return true;
  if (tier === "dma-buf") return fitsDmaBuf(device, buffer, rowPitch);
  const layout = driverLayout(device, kindOf(info), tier);
  if (layout?.rowPitch === buffer.rowPitch && layout.size <= buffer.memory.size) return true;
  device.say(
    `Buffer ${buffer.id} has rows of ${buffer.rowPitch} bytes, ${buffer.memory.size} bytes in all; the driver needs ` +
      `rows of ${layout?.rowPitch} bytes, ${layout?.size} bytes in all; ` +
      "allocate the buffer with the usage that vkGetSwapchainGrallocUsage…ANDROID returns",
  );
  return false;
}

/** Whether a buffer is a dma-buf with rows of so many bytes; drivers that cannot have such rows refuse the image. */
function fitsDmaBuf(device: DriverDevice, { id, memory, rowPitch: has }: GraphicBuffer, rowPitch: number): boolean {
  const isShared = memory.kind === "dma-buf" || memory.fd >= 0 && isDmaBuf(memory.fd);
  if (isShared && has === rowPitch) return true;
  device.say(
    isShared
      ? `Buffer ${id} has rows of ${has} bytes; the image was made for rows of ${rowPitch} bytes`
      : `Buffer ${id} is no dma-buf; allocate it with a usage of another device, or by the usage that the driver gives`,
  );
  return false;
}

function bind(device: CreatingDevice, image: bigint, buffer: GraphicBuffer, tier: AdaptorTier): number {
  const backing = Backing.of(device, buffer, tier, image);
  if (typeof backing === "number") return backing;
  const result = device.commands.vkBindImageMemory(device.handle, image, backing.memory, 0n);
  if (result >= 0) new NativeImage(device, image, backing);
  else backing.release();
  return result;
}

/** The VkImageCreateInfo for the driver: without what only Android's window system knows, as the tier needs it. */
function changedInfo(info: StructObject, tier: AdaptorTier, rowPitch: number): bigint {
  const { NATIVE_BUFFER, SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID, IMAGE_SWAPCHAIN_CREATE_INFO } = STYPE;
  const chain = without(info, NATIVE_BUFFER, SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID, IMAGE_SWAPCHAIN_CREATE_INFO);
  if (tier === "staging") {
    const usage = info.usage as number;
    return write("VkImageCreateInfo", {
      ...info,
      tiling: TILING.OPTIMAL,
      usage: usage | IMAGE_USAGE.TRANSFER_SRC,
      pNext: chain,
    });
  }
  const { tiling, pNext } = sharedForm(tier, rowPitch);
  return write("VkImageCreateInfo", { ...info, tiling, pNext: [...chain, ...pNext] });
}

function refuseFormat(device: DriverDevice, { format, usage }: StructObject): number {
  device.say(
    `No image of VkFormat ${format} and usage 0x${(usage as number).toString(16)} can be a native buffer here`,
  );
  return RESULT.ERROR_FORMAT_NOT_SUPPORTED;
}

/**
 * Another owner of the buffer with a native_handle_t, if an image by this
 * VkImageCreateInfo can be made of it; else says why not. The handle may be one
 * that was copied or sent from another process.
 */
function bufferFor(device: DriverDevice, handle: bigint, info: StructObject): GraphicBuffer | undefined {
  const buffer = bufferOfHandle(handle)?.retain() ?? imported(device, handle);
  const mismatch = buffer && mismatchOf(info, buffer);
  if (mismatch === undefined) return buffer;
  device.say(`Cannot make an image of buffer ${buffer!.id}: ${mismatch}; create the image with the buffer's values`);
  buffer!.close();
}

function imported(device: DriverDevice, handle: bigint): GraphicBuffer | undefined {
  const found = `VkNativeBufferANDROID.handle 0x${handle.toString(16)}`;
  if (handle === 0n || !isMapped(handle, HANDLE_HEADER) || !isMapped(handle, handleSize(handle))) {
    device.say(`${found} is not the address of a native_handle_t; pass GraphicBuffer.handle`);
    return undefined;
  }
  try {
    return importHandle(handle);
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    device.say(`${found} is not the handle of an open buffer: ${error.message}`);
  }
}

function mismatchOf(info: StructObject, buffer: GraphicBuffer): string | undefined {
  const { format, extent, imageType, mipLevels, arrayLayers, samples } = info,
    formats = colorFormatsOf(format as number);
  const { width, height, depth } = extent as Record<string, number>;
  const isPlain = imageType === VK_IMAGE_TYPE_2D && samples === VK_SAMPLE_COUNT_1_BIT;
  if (!isPlain || mipLevels !== 1 || arrayLayers !== 1 || depth !== 1) {
    return "it is 2D, with one level, one layer and one sample";
  }
  if (width !== buffer.width || height !== buffer.height) {
    return `it has ${buffer.width}x${buffer.height} pixels, the image ${width}x${height}`;
  }
  if (formats.length === 0) return `VkFormat ${format} is none of gralloc's`;
  if (buffer.modifier !== MODIFIER.LINEAR) {
    return `its pixels lie in ${modifierName(buffer.modifier)}, and images of native buffers have linear rows`;
  }
  const own = buffer.pixelFormat;
  if (!formats.some(({ hal }) => hal === own.hal)) {
    return `its format is ${own.name}, VkFormat ${format} is ${formats[0].name}`;
  }
}
