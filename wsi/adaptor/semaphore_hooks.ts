import { peek32, peek64 } from "../../ffi/machine.ts";
import { chain, nextOf } from "../../loader/driver/structs/create_info.ts";
import type { Layer } from "../../loader/layer.ts";
import { structAt } from "../../loader/codec/codec.ts";
import type { Adaptor } from "./adaptor.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { STYPE } from "./constants.ts";
import { importFd } from "./virtual_semaphores.ts";
import { without, write } from "./struct.ts";
import { BIND_SPARSE, SUBMIT, type SubmitShape } from "./submit_rewriter.ts";
import {
  offsetsOfVkImportSemaphoreFdInfoKHR,
  VK_SEMAPHORE_TYPE_BINARY,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VkSemaphoreTypeCreateInfo,
} from "../../loader/gen/native_gen.ts";

const IMPORT = offsetsOfVkImportSemaphoreFdInfoKHR;

/**
 * The hooks for virtual semaphores: the application's binary semaphores that
 * are not exported are made as timelines, and submissions get their values.
 * With native semaphores all calls pass through unchanged.
 */
export function semaphoreHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  const submit = (shape: SubmitShape, name: "vkQueueSubmit" | "vkQueueBindSparse") =>
  (
    next: (queue: bigint, count: number, infos: bigint, fence: bigint) => number,
    ...args: [bigint, number, bigint, bigint]
  ) => {
    const [queue, count, infos, fence] = args, device = adaptor.deviceOf(queue);
    if (!device?.rewriter || count === 0) return next(queue, count, infos, fence);
    const changed = device.rewriter.rewrite(shape, count, infos);
    if (changed === infos) return next(queue, count, infos, fence);
    return settled(device, device.commands[name](queue, count, changed, fence));
  };
  const submit2 = (name: "vkQueueSubmit2" | "vkQueueSubmit2KHR") =>
  (
    next: (queue: bigint, count: number, infos: bigint, fence: bigint) => number,
    ...args: [bigint, number, bigint, bigint]
  ) => {
    const [queue, count, infos, fence] = args, device = adaptor.deviceOf(queue);
    if (!device?.rewriter || count === 0) return next(queue, count, infos, fence);
    const changed = device.rewriter.rewrite2(count, infos);
    if (changed === infos) return next(queue, count, infos, fence);
    return settled(device, device.commands[name](queue, count, changed, fence));
  };
  return {
    vkCreateSemaphore(next, device, info, allocator, out) {
      const { semaphores } = adaptor.deviceOf(device) ?? {};
      if (!semaphores || !isPlain(info)) return next(device, info, allocator, out);
      const result = next(device, timelineInfo(info), allocator, out);
      if (result >= 0) semaphores.add(peek64(out));
      return result;
    },
    vkDestroySemaphore(next, device, semaphore, allocator) {
      const known = adaptor.deviceOf(device), virtual = known?.semaphores?.remove(semaphore);
      if (virtual) {
        known!.acquires.abandon(virtual);
        known!.acquires.rest(virtual);
      }
      if (virtual && virtual.shadow !== 0n) known!.commands.vkDestroySemaphore(device, virtual.shadow, 0n);
      next(device, semaphore, allocator);
    },
    vkImportSemaphoreFdKHR(next, device, info) {
      const known = adaptor.deviceOf(device), virtual = known?.semaphores?.get(peek64(info + BigInt(IMPORT.semaphore)));
      return virtual ? importFd(known!, virtual, info) : next(device, info);
    },
    vkQueueSubmit: submit(SUBMIT, "vkQueueSubmit"),
    vkQueueBindSparse: submit(BIND_SPARSE, "vkQueueBindSparse"),
    vkQueueSubmit2: submit2("vkQueueSubmit2"),
    vkQueueSubmit2KHR: submit2("vkQueueSubmit2KHR"),
  };
}

function settled({ semaphores }: AdaptorDevice, result: number): number {
  semaphores!.settle(result >= 0);
  return result;
}

/** Whether a VkSemaphoreCreateInfo describes a binary semaphore that is not exported. */
function isPlain(info: bigint): boolean {
  for (const { sType, address } of chain(nextOf(info))) {
    if (sType === STYPE.EXPORT_SEMAPHORE_CREATE_INFO) return false;
    if (sType !== STYPE.SEMAPHORE_TYPE_CREATE_INFO) continue;
    if (peek32(address + VkSemaphoreTypeCreateInfo.semaphoreType) !== VK_SEMAPHORE_TYPE_BINARY) return false;
  }
  return true;
}

function timelineInfo(info: bigint): bigint {
  const decoded = structAt("VkSemaphoreCreateInfo", info);
  const type = { sType: STYPE.SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE, initialValue: 0n };
  return write("VkSemaphoreCreateInfo", {
    ...decoded,
    pNext: [type, ...without(decoded, STYPE.SEMAPHORE_TYPE_CREATE_INFO)],
  });
}
