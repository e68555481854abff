import { inFrame } from "../../ffi/arena.ts";
import { isOverWithin, settleForKernel, takeSyncFile } from "../fence/careful_fence.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { Below, DeviceState } from "./environment.ts";

/** The objects that an acquire operation signals. */
export interface AcquireSignals {
  /** The VkSemaphore to signal, or 0n. */
  readonly semaphore: bigint;
  /** The VkFence to signal, or 0n. */
  readonly fence: bigint;
}

/** The longest timeout in nanoseconds; a greater value waits for ever. */
const LONGEST = 2n ** 63n - 1n;

/**
 * Waits for a fence that the driver cannot wait for: a fence that only this thread can signal, which a blocked driver
 * would prevent; and for a driver with native buffers of its own every fence except sync_files, the only ones that
 * drivers import. Returns `false` after a timeout.
 */
export function settleFence({ adaptor }: DeviceState, fence: NativeFence, nanoseconds: bigint): boolean {
  if (!adaptor) return settleForKernel(fence, nanoseconds > LONGEST ? Infinity : Number(nanoseconds) / 1e6);
  if (fence.isDriven) isOverWithin(fence, Infinity); // the adaptor follows a fence that was not signalled
  return true;
}

/** vkAcquireImageANDROID, after {@linkcode settleFence}. Always consumes the fence. */
export function acquireImage(
  context: Below,
  { handle, adaptor }: DeviceState,
  image: bigint,
  native: NativeFence,
  { semaphore, fence }: AcquireSignals,
): number {
  if (adaptor) return adaptor.acquire(handle, image, native, semaphore, fence);
  return context.below(handle).vkAcquireImageANDROID(handle, image, takeSyncFile(native), semaphore, fence);
}

/** vkQueueSignalReleaseImageANDROID. Returns the fence to wait for before the image is read, or a negative VkResult. */
export function releaseImage(
  context: Below,
  { adaptor }: DeviceState,
  queue: bigint,
  { count, semaphores }: { readonly count: number; readonly semaphores: bigint },
  image: bigint,
): NativeFence | number {
  if (adaptor) return adaptor.release(queue, count, semaphores, image);
  return inFrame((memory) => {
    const at = memory.alloc(4);
    memory.view.setInt32(at, -1, true);
    const result = context.below(queue)
      .vkQueueSignalReleaseImageANDROID(queue, count, semaphores, image, memory.address(at));
    const fence = NativeFence.adopt(memory.view.getInt32(at, true));
    if (result >= 0) return fence;
    fence.close();
    return result;
  });
}
