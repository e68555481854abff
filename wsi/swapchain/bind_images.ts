import { arena } from "../../ffi/arena.ts";
import { codec } from "../../loader/codec/codec.ts";
import { peek64 } from "../../ffi/machine.ts";
import { findInChain, nextOf } from "../../loader/driver/create_info.ts";
import { nativeBuffer } from "./make_images.ts";
import type { Parts } from "./swapchain_layer.ts";

const BIND_IMAGE_MEMORY_SWAPCHAIN = 1000060009;
/** Bytes of VkBindImageMemoryInfo, and where VkBindImageMemorySwapchainInfoKHR has its members. */
const INFO = 40n, SWAPCHAIN = 16n, INDEX = 24n;

/**
 * The infos of vkBindImageMemory2 with the buffer given that an image is to
 * share with a swapchain's. Throws a `TypeError` for an index there is none of,
 * and for an image that has no buffer yet.
 */
export function bindImages(parts: Parts, count: number, infos: bigint): bigint {
  if (!Array.from({ length: count }, (_, index) => swapchainInfo(infos + INFO * BigInt(index))).some((each) => each)) {
    return infos;
  }
  const read = parts.context.readAll("VkBindImageMemoryInfo", infos, count);
  const changed = read.map((info, index) => {
    const buffer = bufferFor(parts, swapchainInfo(infos + INFO * BigInt(index)));
    return buffer ? { ...info, pNext: [nativeBuffer(buffer), ...info.pNext as unknown as object[]] } : info;
  });
  const { size, encode } = codec("VkBindImageMemoryInfo"), memory = arena(), at = memory.alloc(size * count);
  changed.forEach((info, index) => encode(info as never, at + size * index));
  return memory.address(at);
}

/** The struct by which an image is to get a swapchain's memory; 0n for none. */
function swapchainInfo(info: bigint): bigint {
  return findInChain(nextOf(info), BIND_IMAGE_MEMORY_SWAPCHAIN);
}

function bufferFor({ system }: Parts, info: bigint) {
  const swapchain = info === 0n ? undefined : system.swapchains.get(peek64(info + SWAPCHAIN));
  if (!swapchain) return undefined;
  const index = Number(peek64(info + INDEX) & 0xffff_ffffn), image = swapchain.images[index];
  if (image?.buffer) return image.buffer;
  throw new TypeError(
    image
      ? `Cannot bind image ${index} of a swapchain: it has no memory yet; acquire it first`
      : `Cannot bind image ${index} of a swapchain: it has ${swapchain.images.length}; give a smaller index`,
  );
}
