import { creationResult } from "./results.ts";
import { arena } from "../../ffi/arena.ts";
import type { VkImageCreateInfo } from "../../loader/gen/types_core_gen.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { usageToGralloc0, usageToProducerConsumer } from "../buffer/usage.ts";
import type { Out } from "../../loader/base.ts";
import type { VkSwapchainCreateInfoKHR } from "../../loader/gen/types_khr_gen.ts";
import type { Below, DeviceState, Parts } from "./environment.ts";
import { cancelImage } from "./end_swapchain.ts";
import { isSharedMode } from "./surface_capabilities.ts";
import type { Surface, Swapchain } from "./swapchain.ts";
import { codec } from "../../loader/codec/codec.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import { findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import {
  sizeOfVkBindImageMemoryInfo,
  VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
  VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
  VK_IMAGE_CREATE_PROTECTED_BIT,
  VK_IMAGE_TYPE_2D,
  VK_SAMPLE_COUNT_1_BIT,
  VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
  VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
  VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
  VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
  VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
  VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
  VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_KHR,
  VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR,
  VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR,
  VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID,
  VkBindImageMemorySwapchainInfoKHR,
} from "../../loader/gen/native_gen.ts";

/** VkSwapchainCreateFlagBitsKHR. */
export const CREATE = {
  PROTECTED: VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR,
  MUTABLE_FORMAT: VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR,
  DEFERRED_MEMORY_ALLOCATION: VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_KHR,
} as const;

/** A swapchain's create info as hooks read it. */
export type SwapchainInfo = Out<VkSwapchainCreateInfoKHR>;

/** The arguments with which images are made. */
export interface ImageRequest {
  readonly device: DeviceState;
  readonly surface: Surface;
  readonly info: SwapchainInfo;
  readonly count: number;
  readonly usage: bigint;
}

const NATIVE_BUFFER = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
  SWAPCHAIN_IMAGE = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
  IMAGE_SWAPCHAIN = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
const FORMAT_LIST = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
  COMPRESSION_CONTROL = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT;
/** VkImageCreateFlagBits. */
const IMAGE = {
  MUTABLE_FORMAT: VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
  EXTENDED_USAGE: VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
  PROTECTED: VK_IMAGE_CREATE_PROTECTED_BIT,
} as const;

type Chain = readonly { readonly sType: number }[];

/** Dequeues all buffers, makes an image of each, and returns all buffers but a shared one. Returns a VkResult. */
export function makeImages(context: Below, swapchain: Swapchain, { info, surface, count }: ImageRequest): number {
  const shared = isSharedMode(info.presentMode!), total = shared ? 1 : count;
  let result = 0;
  for (let index = 0; index < total && result >= 0; index++) {
    const dequeued = surface.window.dequeueBuffer();
    if (typeof dequeued === "number") {
      result = creationResult(dequeued);
      break;
    }
    const { buffer, fence } = dequeued;
    const next = [nativeBuffer(buffer), {
      sType: SWAPCHAIN_IMAGE,
      usage: shared ? VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID : 0,
    }];
    const image = createImage(context, swapchain, info, [...next, ...kept(info)]);
    if (image < 0n) result = Number(image);
    else swapchain.images.push({ image, buffer, dequeued: true, dequeueFence: fence, releaseFence: undefined });
    if (image < 0n) surface.window.cancelBuffer(buffer, fence);
  }
  if (!shared || result < 0) swapchain.images.forEach((image) => cancelImage(swapchain, image));
  return result;
}

/** Makes images that each get a buffer when they are first acquired. Returns a VkResult. */
export function makeDeferredImages(
  context: Below,
  swapchain: Swapchain,
  info: SwapchainInfo,
  count: number,
): number {
  for (let index = 0; index < count; index++) {
    const chain = [{ sType: IMAGE_SWAPCHAIN, swapchain: swapchain.handle }];
    const image = createImage(context, swapchain, info, chain);
    if (image < 0n) return Number(image);
    const none = { buffer: undefined, dequeueFence: undefined, releaseFence: undefined };
    swapchain.images.push({ image, ...none, dequeued: false });
  }
  return 0;
}

/** The struct that makes an image of a buffer, or binds an image to one. */
export function nativeBuffer(buffer: GraphicBuffer): { sType: typeof NATIVE_BUFFER } {
  const { handle, stride, format, usage } = buffer;
  const usage2 = usageToProducerConsumer(usage), old = usageToGralloc0(usage);
  return {
    ...{ sType: NATIVE_BUFFER, handle, stride, format, usage: old },
    ...{ usage2, usage3: usage },
  } as { sType: typeof NATIVE_BUFFER };
}

/** Whether images may be viewed in other formats without a list of these formats. */
export function lacksFormatList({ flags, pNext }: SwapchainInfo): boolean {
  if ((flags! & CREATE.MUTABLE_FORMAT) === 0) return false;
  const lists = (pNext as unknown as { sType: number; viewFormatCount?: number }[]).filter(({ sType }) =>
    sType === FORMAT_LIST
  );
  return !lists.some(({ viewFormatCount = 0 }) => viewFormatCount > 0);
}

/** Creates an image. Returns the image, or a negative VkResult. */
function createImage(context: Below, swapchain: Swapchain, info: SwapchainInfo, next: Chain): bigint {
  const device = swapchain.device.handle, memory = arena(), at = memory.alloc(8);
  const created = context.write("VkImageCreateInfo", imageInfo(info, next) as never);
  const result = context.below(device).vkCreateImage(device, created, 0n, memory.address(at));
  return result < 0 ? BigInt(result) : memory.view.getBigUint64(at, true);
}

function imageInfo(info: SwapchainInfo, pNext: Chain): Partial<Out<VkImageCreateInfo>> {
  const flags = info.flags!, mutable = (flags & CREATE.MUTABLE_FORMAT) !== 0;
  const added = (flags & CREATE.PROTECTED ? IMAGE.PROTECTED : 0) |
    (mutable ? IMAGE.MUTABLE_FORMAT | IMAGE.EXTENDED_USAGE : 0);
  return {
    pNext: pNext as never,
    flags: added as never,
    imageType: VK_IMAGE_TYPE_2D as never,
    format: info.imageFormat,
    extent: { ...info.imageExtent!, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT as never,
    usage: info.imageUsage,
    sharingMode: info.imageSharingMode,
    queueFamilyIndexCount: info.queueFamilyIndexCount,
    pQueueFamilyIndices: info.pQueueFamilyIndices,
  };
}

/** The structs of the swapchain's chain that its images get, too. */
function kept(info: SwapchainInfo): Chain {
  const wanted = (info.flags! & CREATE.MUTABLE_FORMAT) !== 0 ? [FORMAT_LIST] : [];
  return (info.pNext as unknown as Chain).filter(({ sType }) => [...wanted, COMPRESSION_CONTROL].includes(sType));
}

/** Bytes of a VkBindImageMemoryInfo. */
const INFO = BigInt(sizeOfVkBindImageMemoryInfo);

/**
 * The structs of vkBindImageMemory2, with the buffers of the swapchain images that images are to share. Throws a
 * `TypeError` for an invalid index, and for an image without a buffer.
 */
export function bindImages(parts: Parts, count: number, infos: bigint): bigint {
  if (!Array.from({ length: count }, (_, index) => swapchainInfo(infos + INFO * BigInt(index))).some((each) => each)) {
    return infos;
  }
  const read = parts.context.readAll("VkBindImageMemoryInfo", infos, count) ?? [];
  const changed = read.map((info, index) => {
    const buffer = bufferFor(parts, swapchainInfo(infos + INFO * BigInt(index)));
    return buffer ? { ...info, pNext: [nativeBuffer(buffer), ...info.pNext as unknown as object[]] } : info;
  });
  const { size, encode } = codec("VkBindImageMemoryInfo"), memory = arena(), at = memory.alloc(size * count);
  changed.forEach((info, index) => encode(info as never, at + size * index));
  return memory.address(at);
}

/** The struct that names a swapchain's memory; 0n for none. */
function swapchainInfo(info: bigint): bigint {
  return findInChain(nextOf(info), VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
}

function bufferFor({ system }: Parts, info: bigint) {
  const swapchain = info === 0n
    ? undefined
    : system.swapchains.get(peek64(info + VkBindImageMemorySwapchainInfoKHR.swapchain));
  if (!swapchain) return undefined;
  const index = peek32(info + VkBindImageMemorySwapchainInfoKHR.imageIndex), image = swapchain.images[index];
  if (image?.buffer) return image.buffer;
  throw new TypeError(
    image
      ? `Cannot bind image ${index} of a swapchain: the image has no memory yet; acquire the image first`
      : `Cannot bind image ${index} of a swapchain: it has ${swapchain.images.length} images; give a smaller index`,
  );
}
