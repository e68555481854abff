import {
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_FENCE_CREATE_SIGNALED_BIT,
  type VkCommandBuffer,
  type VkFence,
  type VkSemaphore,
} from "@pumice/gfx/vk";
import type { Gpu } from "../draw/gpu.ts";

/** The objects of one frame, from its beginning until the device is done with it. */
export interface InFlight {
  /** The frame's commands. */
  readonly commands: VkCommandBuffer;
  /** Signalled when its image may be drawn into. */
  readonly acquired: VkSemaphore;
  /** Signalled when the device is done. */
  readonly done: VkFence;
}

/** Makes what so many frames at a time need; the fences are signalled. */
export function makeInFlight(gpu: Gpu, count: number): InFlight[] {
  const { device, owned, queueFamilyIndex } = gpu, flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  const commandPool = device.vkCreateCommandPool({ flags, queueFamilyIndex });
  owned.defer(() => device.vkDestroyCommandPool(commandPool));
  const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  return device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: count }).map((commands) => {
    const done = device.vkCreateFence({ flags: VK_FENCE_CREATE_SIGNALED_BIT });
    owned.defer(() => device.vkDestroyFence(done));
    return { commands, acquired: makeSemaphore(gpu), done };
  });
}

/** Makes a semaphore. */
export function makeSemaphore({ device, owned }: Gpu): VkSemaphore {
  const semaphore = device.vkCreateSemaphore({});
  owned.defer(() => device.vkDestroySemaphore(semaphore));
  return semaphore;
}
