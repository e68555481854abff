import { NativeFence } from "../fence/native_fence.ts";
import { arena } from "../../ffi/arena.ts";
import type { DriverDevice } from "./driver_device.ts";
import { STYPE } from "./constants.ts";
import type { NativeImage } from "./native_image.ts";
import { made, scratch, write } from "./struct.ts";
import {
  offsetsOfVkSubmitInfo as SUBMIT,
  sizeOfVkSubmitInfo,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
} from "../../loader/gen/native_gen.ts";

const FOREVER = 2n ** 64n - 1n;

/** The end of frames where there are no timeline semaphores: each release waits on the host. */
export class PlainReleases {
  readonly #device: DriverDevice;
  #fence: bigint | undefined;

  /** Without a VkFence yet. */
  constructor(device: DriverDevice) {
    this.#device = device;
  }

  /** Submits the end of a frame with a command buffer, or 0n, and waits. */
  release(queue: bigint, count: number, waits: bigint, command: bigint, image: NativeImage): NativeFence | number {
    const fence = this.#fence ??= this.#makeFence(), { commands, handle } = this.#device;
    const result = scratch(() => commands.vkQueueSubmit(queue, 1, submitInfo(count, waits, command), fence));
    if (result < 0) return result;
    const lost = scratch(() => {
      const memory = arena(), list = memory.alloc(8);
      memory.view.setBigUint64(list, fence, true);
      const waited = commands.vkWaitForFences(handle, 1, memory.address(list), 1, FOREVER);
      return waited < 0 ? waited : commands.vkResetFences(handle, 1, memory.address(list));
    });
    if (lost < 0) return lost;
    if (image.backing.tier === "staging") this.#fetch(image);
    return NativeFence.signaled();
  }

  /** Destroys the VkFence. */
  close(): void {
    if (this.#fence !== undefined) this.#device.commands.vkDestroyFence(this.#device.handle, this.#fence, 0n);
    this.#fence = undefined;
  }

  #fetch(image: NativeImage): void {
    const target = image.backing.target();
    image.copied({ isReached: () => true, wait() {} });
    if (typeof target !== "number") target.fetch?.();
  }

  #makeFence(): bigint {
    const { commands, handle } = this.#device;
    const fence = scratch(() => made((out) => commands.vkCreateFence(handle, write("VkFenceCreateInfo", {}), 0n, out)));
    return typeof fence === "number" ? 0n : fence;
  }
}

function submitInfo(count: number, waits: bigint, command: bigint): bigint {
  const memory = arena(),
    info = memory.alloc(sizeOfVkSubmitInfo),
    stages = memory.alloc(4 * count || 4),
    list = memory.alloc(8),
    { view } = memory;
  memory.bytes.fill(0, info, info + sizeOfVkSubmitInfo);
  for (let index = 0; index < count; index++) {
    view.setUint32(stages + 4 * index, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, true);
  }
  view.setBigUint64(list, command, true);
  view.setUint32(info, STYPE.SUBMIT_INFO, true);
  view.setUint32(info + SUBMIT.waitSemaphoreCount, count, true);
  view.setBigUint64(info + SUBMIT.pWaitSemaphores, waits, true);
  view.setBigUint64(info + SUBMIT.pWaitDstStageMask, memory.address(stages), true);
  view.setUint32(info + SUBMIT.commandBufferCount, command === 0n ? 0 : 1, true);
  view.setBigUint64(info + SUBMIT.pCommandBuffers, memory.address(list), true);
  return memory.address(info);
}
