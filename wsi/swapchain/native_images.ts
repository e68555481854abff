import { arena } from "../../ffi/arena.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { Acquisition } from "./acquire.ts";
import type { Below, DeviceState } from "./environment.ts";

/** vkAcquireImageANDROID; the fence is consumed always. */
export function acquireImage(
  context: Below,
  { handle, adaptor }: DeviceState,
  image: bigint,
  native: NativeFence,
  { semaphore, fence }: Pick<Acquisition, "semaphore" | "fence">,
): number {
  if (adaptor) return adaptor.acquire(handle, image, native, semaphore, fence);
  return context.below(handle).vkAcquireImageANDROID(handle, image, native.take(), semaphore, fence);
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
  const memory = arena(), mark = memory.mark(), at = memory.alloc(4);
  memory.view.setInt32(at, -1, true);
  const result = context.below(queue)
    .vkQueueSignalReleaseImageANDROID(queue, count, semaphores, image, memory.address(at));
  const fence = NativeFence.adopt(memory.view.getInt32(at, true));
  memory.release(mark);
  if (result >= 0) return fence;
  fence.close();
  return result;
}
