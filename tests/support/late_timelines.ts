import { peek64, poke64 } from "../../ffi/machine.ts";
import { defineLayer, type Layer } from "../../loader/mod.ts";
import { VK_SEMAPHORE_TYPE_TIMELINE } from "../../loader/vk.ts";

/**
 * A layer above a driver whose timelines come late: they have no value before somebody waits for it, though fences of the
 * same submission are signalled. Says which timelines were destroyed without such a wait.
 */
export function lateTimelines(): { readonly layer: Layer; readonly early: readonly bigint[] } {
  const early: bigint[] = [], timelines = new Set<bigint>(), waited = new Set<bigint>();
  const layer = defineLayer({
    name: "VK_LAYER_TEST_late_timelines",
    commands: {
      vkCreateSemaphore(next, device, info, allocator, out) {
        const { pNext = [] } = this.read("VkSemaphoreCreateInfo", info), result = next(device, info, allocator, out);
        const chained = pNext as readonly { readonly semaphoreType?: number }[];
        const isTimeline = chained.some(({ semaphoreType }) => semaphoreType === VK_SEMAPHORE_TYPE_TIMELINE);
        if (isTimeline) timelines.add(peek64(out));
        return result;
      },
      vkGetSemaphoreCounterValue(next, device, semaphore, out) {
        const result = next(device, semaphore, out);
        if (!waited.has(semaphore)) poke64(out, 0n);
        return result;
      },
      vkWaitSemaphores(next, device, info, timeout) {
        for (const semaphore of this.read("VkSemaphoreWaitInfo", info).pSemaphores!) waited.add(BigInt(semaphore));
        return next(device, info, timeout);
      },
      vkDestroySemaphore(next, device, semaphore, allocator) {
        const isWaited = waited.delete(semaphore); // a later semaphore may get the same handle
        if (timelines.delete(semaphore) && !isWaited) early.push(semaphore);
        next(device, semaphore, allocator);
      },
    },
  });
  return { layer, early };
}
