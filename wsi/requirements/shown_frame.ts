import type { VkFence, VkSemaphore } from "../../loader/types.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { drawColor, type Way } from "./draw_color.ts";
import { occupy } from "./occupy.ts";
import { seen } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { TrialBench } from "./trial_bench.ts";
import type { TrialImage } from "./trial_images.ts";

/** A semaphore and a VkFence, destroyed at the end of the scope. */
export function signals({ device }: TrialBench): { semaphore: VkSemaphore; fence: VkFence } & Disposable {
  const semaphore = device.vkCreateSemaphore({}), fence = device.vkCreateFence({});
  return {
    semaphore,
    fence,
    [Symbol.dispose]() {
      device.vkDestroySemaphore(semaphore);
      device.vkDestroyFence(fence);
    },
  };
}

/**
 * Draws a whole frame into an image, and checks whether the buffer contains the frame. The queue has other work first:
 * a driver that says too early that the frame is drawn is caught by pixels that are not there yet.
 */
export function shows(bench: TrialBench, shown: TrialImage, before = "", way: Way = "clear"): Outcome {
  const { image, buffer } = shown;
  using acquired = signals(bench), drawn = signals(bench);
  bench.device.vkAcquireImageANDROID(image, -1, acquired.semaphore);
  using _work = occupy(bench, bench);
  using drawing = drawColor(bench, shown, { wait: acquired.semaphore, signal: drawn.semaphore }, way);
  using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID([drawn.semaphore], image));
  if (!fence.wait(bench.timeout)) return seen(false, "the fence was never signalled");
  const wrong = drawing.wrongPixels(buffer);
  const found = wrong === 0 ? "every pixel was in the buffer" : `${wrong} pixels were not in the buffer`;
  return seen(wrong === 0, before + found);
}
