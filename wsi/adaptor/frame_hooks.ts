import { poke32 } from "../../ffi/machine.ts";
import type { Layer } from "../../loader/layer.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { Adaptor } from "./adaptor.ts";
import { RESULT } from "./constants.ts";

/** The commands that begin and end a frame. */
export function frameHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  return {
    vkAcquireImageANDROID(next, device, image, fd, semaphore, fence) {
      if (!adaptor.deviceOf(device)) return next(device, image, fd, semaphore, fence);
      return adaptor.acquire(device, image, NativeFence.adopt(fd), semaphore, fence);
    },
    vkQueueSignalReleaseImageANDROID(next, queue, count, waits, image, out) {
      if (!adaptor.deviceOf(queue)) return next(queue, count, waits, image, out);
      const fence = adaptor.release(queue, count, waits, image);
      poke32(out, typeof fence === "number" ? -1 : fence.take());
      return typeof fence === "number" ? fence : RESULT.SUCCESS;
    },
  };
}
