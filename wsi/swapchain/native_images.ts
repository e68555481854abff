import { inFrame } from "../../ffi/arena.ts";
import { isOver, settleForKernel, takeSyncFile } from "../fence/kernel_fence.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { Below, DeviceState } from "./environment.ts";

/** The objects that an acquire operation signals. */
export interface AcquireSignals {
  /** The VkSemaphore to signal, or 0n. */
  readonly semaphore: bigint;
  /** The VkFence to signal, or 0n. */
  readonly fence: bigint;
}

/** Timeouts above this wait for ever, in nanoseconds. */
const LONGEST = 2n ** 63n - 1n;

/**
 * Waits for a fence that those below cannot wait for: one that only this
 * thread can bring about, which a driver may block; and for a driver with
 * native buffers of its own all but sync_files, for drivers import what they
 * get. False when that takes more than so many nanoseconds.
 */
export function settleFence({ adaptor }: DeviceState, fence: NativeFence, nanoseconds: bigint): boolean {
  if (!adaptor) return settleForKernel(fence, nanoseconds > LONGEST ? Infinity : Number(nanoseconds) / 1e6);
  if (fence.isDriven) isOver(fence, Infinity); // the adaptor follows what does not come to pass
  return true;
}

/** vkAcquireImageANDROID, after {@linkcode settleFence}; the fence is consumed always. */
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

/** vkQueueSignalReleaseImageANDROID: what to wait for before the image is read, or a negative VkResult. */
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
