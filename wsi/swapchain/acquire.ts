import { peek32, peek64 } from "../../ffi/machine.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { STATUS } from "../android_values.ts";
import type { Below, WindowSystem } from "./environment.ts";
import { cancelImage } from "./end_swapchain.ts";
import { nativeBuffer } from "./make_images.ts";
import { acquireImage, type AcquireSignals, settleFence } from "./native_images.ts";
import { VK } from "./results.ts";
import { isSharedMode } from "./surface_capabilities.ts";
import type { Swapchain, SwapchainImage } from "./swapchain.ts";
import type { DequeuedBuffer } from "../contract/window.ts";
import { VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR } from "../../loader/gen/native_gen.ts";

const LONGEST = 2n ** 63n - 1n;
/** VkReleaseSwapchainImagesInfoKHR. */
const SWAPCHAIN = 16n, COUNT = 24n, INDICES = 32n;

/** The arguments of an acquire operation. */
export interface Acquisition extends AcquireSignals {
  /** Nanoseconds. */
  readonly timeout: bigint;
}

/** vkAcquireNextImageKHR. Calls `found` with the image's index, and returns a VkResult. */
export function acquireNext(
  context: Below,
  swapchain: Swapchain,
  asked: Acquisition,
  found: (index: number) => void,
): number {
  const { surface } = swapchain;
  if (!surface || !swapchain.isCurrent) return VK.OUT_OF_DATE;
  if (isSharedMode(swapchain.mode)) {
    found(0);
    return acquireImage(context, swapchain.device, swapchain.images[0].image, NativeFence.signaled(), asked);
  }
  const timeout = asked.timeout > LONGEST ? -1n : asked.timeout;
  if (timeout !== swapchain.timeout) {
    if (surface.window.setDequeueTimeout(timeout) < 0) return VK.SURFACE_LOST;
    swapchain.timeout = timeout;
  }
  const dequeued = surface.window.dequeueBuffer();
  if (typeof dequeued === "number") return failure(dequeued, asked.timeout);
  return take(context, swapchain, dequeued, asked, found);
}

/**
 * The VkResult of a failed dequeue. Too many acquired images are a timeout, too: the application must present one
 * first.
 */
function failure(status: number, timeout: bigint): number {
  if (status !== STATUS.TIMED_OUT && status !== STATUS.INVALID_OPERATION && status !== STATUS.WOULD_BLOCK) {
    return VK.SURFACE_LOST;
  }
  return timeout === 0n ? VK.NOT_READY : VK.TIMEOUT;
}

function take(
  context: Below,
  swapchain: Swapchain,
  { buffer, fence }: DequeuedBuffer,
  asked: Acquisition,
  found: (index: number) => void,
): number {
  const { window } = swapchain.surface!;
  if (!settleFence(swapchain.device, fence, asked.timeout)) {
    window.cancelBuffer(buffer, fence);
    return failure(STATUS.TIMED_OUT, asked.timeout);
  }
  let index = swapchain.indexOf(buffer);
  if (index < 0) index = bindLate(context, swapchain, { buffer, fence });
  if (index < 0) {
    window.cancelBuffer(buffer, fence);
    return VK.OUT_OF_DATE;
  }
  const image = swapchain.images[index];
  const result = acquireImage(context, swapchain.device, image.image, fence.dup(), asked);
  if (result < 0) {
    window.cancelBuffer(buffer, fence);
    return result;
  }
  hold(image, fence);
  found(index);
  return VK.SUCCESS;
}

function hold(image: SwapchainImage, fence: NativeFence): void {
  image.dequeueFence?.close();
  image.dequeueFence = fence;
  image.dequeued = true;
}

/**
 * Binds a buffer to the first image without a buffer, for images that get their buffers late. Returns the image's
 * index; -1 if there is no such image, or the command fails.
 */
function bindLate(context: Below, swapchain: Swapchain, { buffer }: DequeuedBuffer): number {
  const index = swapchain.isDeferred ? swapchain.images.findIndex((each) => !each.buffer && each.image !== 0n) : -1;
  if (index < 0) return -1;
  const { handle } = swapchain.device, { image } = swapchain.images[index];
  const bound = {
    sType: VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
    swapchain: swapchain.handle,
    imageIndex: index,
  };
  const info = context.write("VkBindImageMemoryInfo", { image, pNext: [nativeBuffer(buffer), bound] } as never);
  const commands = context.below(handle);
  if (commands.vkBindImageMemory2(handle, 1, info) < 0) return -1;
  swapchain.images[index].buffer = buffer;
  return index;
}

/**
 * vkReleaseSwapchainImagesKHR: returns acquired images to the window unused. Returns `undefined` for a swapchain of the
 * driver's.
 */
export function releaseImages(system: WindowSystem, info: bigint): number | undefined {
  const swapchain = system.swapchains.get(peek64(info + SWAPCHAIN)), indices = peek64(info + INDICES);
  if (!swapchain) return undefined;
  if (isSharedMode(swapchain.mode)) return VK.SUCCESS;
  for (let index = 0; index < peek32(info + COUNT); index++) {
    const image = swapchain.images[peek32(indices + 4n * BigInt(index))];
    if (image) cancelImage(swapchain, image);
  }
  return VK.SUCCESS;
}
