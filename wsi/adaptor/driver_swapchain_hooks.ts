import { arena } from "../../ffi/arena.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import type { Layer } from "../../loader/layer.ts";
import type { Adaptor } from "./adaptor.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { STYPE } from "./constants.ts";
import { shadowOf, type VirtualSemaphore } from "./virtual_semaphores.ts";
import { scratch, write } from "./struct.ts";
import {
  offsetsOfVkAcquireNextImageInfoKHR,
  sizeOfVkAcquireNextImageInfoKHR,
  sizeOfVkPresentInfoKHR,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_SUBOPTIMAL_KHR,
  VkPresentInfoKHR,
} from "../../loader/gen/native_gen.ts";

const ACQUIRE = offsetsOfVkAcquireNextImageInfoKHR, PRESENT = VkPresentInfoKHR;

/**
 * Swapchains of the driver's own, on a device with virtual semaphores. The
 * driver needs real semaphores: an acquire signals the real semaphore that
 * stands for the virtual one, and a present waits for a real one, to which a
 * submission of ours passes the signal on.
 */
export function driverSwapchainHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  return {
    vkAcquireNextImageKHR(next, handle, swapchain, timeout, semaphore, fence, out) {
      return acquire(adaptor, handle, semaphore, (real) => next(handle, swapchain, timeout, real, fence, out));
    },
    vkAcquireNextImage2KHR(next, handle, info, out) {
      const memory = arena(), semaphore = peek64(info + BigInt(ACQUIRE.semaphore));
      return acquire(adaptor, handle, semaphore, (real) =>
        scratch(() => {
          const copy = memory.copyIn(info, sizeOfVkAcquireNextImageInfoKHR);
          memory.view.setBigUint64(copy + ACQUIRE.semaphore, real, true);
          return next(handle, memory.address(copy), out);
        }));
    },
    vkQueuePresentKHR(next, queue, info) {
      const device = adaptor.deviceOf(queue);
      return device?.semaphores ? present(device, queue, info, (changed) => next(queue, changed)) : next(queue, info);
    },
  };
}

function acquire(adaptor: Adaptor, handle: bigint, semaphore: bigint, ask: (real: bigint) => number): number {
  const device = adaptor.deviceOf(handle), virtual = device?.semaphores?.get(semaphore);
  if (!virtual) return ask(semaphore);
  const shadow = shadowOf(device!, virtual);
  if (typeof shadow === "number") return shadow;
  const result = ask(shadow);
  if (result === 0 || result === VK_SUBOPTIMAL_KHR) virtual.imported = "temporary";
  return result;
}

/** Presents with real semaphores, after those that have one already and those that get the signal passed on. */
function present(device: AdaptorDevice, queue: bigint, info: bigint, ask: (info: bigint) => number): number {
  const count = peek32(info + PRESENT.waitSemaphoreCount), array = peek64(info + PRESENT.pWaitSemaphores);
  const waits = Array.from({ length: count }, (_, index) => peek64(array + 8n * BigInt(index)));
  const virtual = waits.map((each) => device.semaphores!.get(each));
  if (virtual.every((each) => !each)) return ask(info);
  const reals = virtual.map((each, index) => each ? shadowOf(device, each) : waits[index]);
  const failed = reals.find((each) => typeof each === "number");
  if (failed !== undefined) return failed as number;
  const result = passOn(device, queue, virtual.filter((each) => each !== undefined));
  if (result < 0) return result;
  return scratch(() => {
    const memory = arena(), copy = memory.copyIn(info, sizeOfVkPresentInfoKHR), list = memory.alloc(8 * count);
    (reals as bigint[]).forEach((each, index) => memory.view.setBigUint64(list + 8 * index, each, true));
    memory.view.setBigUint64(copy + Number(PRESENT.pWaitSemaphores), memory.address(list), true);
    return ask(memory.address(copy));
  });
}

/** Submits what waits for virtual semaphores and signals the real ones that stand for them. */
function passOn(device: AdaptorDevice, queue: bigint, virtual: readonly VirtualSemaphore[]): number {
  const semaphores = device.semaphores!, left = virtual.filter((each) => each.imported === undefined);
  for (const each of virtual) if (each.imported !== undefined) semaphores.wait(each);
  if (left.length === 0) {
    semaphores.settle(true);
    return 0;
  }
  return scratch(() => {
    const info = write("VkSubmitInfo", {
      pNext: [{
        sType: STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO,
        pWaitSemaphoreValues: left.map((each) => BigInt(semaphores.wait(each))),
        pSignalSemaphoreValues: left.map(() => 0n),
      }],
      pWaitSemaphores: left.map(({ handle }) => handle),
      pWaitDstStageMask: left.map(() => VK_PIPELINE_STAGE_ALL_COMMANDS_BIT),
      pSignalSemaphores: left.map(({ shadow }) => shadow),
    });
    const result = device.commands.vkQueueSubmit(queue, 1, info, 0n);
    semaphores.settle(result >= 0);
    return result;
  });
}
