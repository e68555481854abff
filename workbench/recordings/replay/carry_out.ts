import { VK_COMMAND_BUFFER_LEVEL_PRIMARY, VK_TIMEOUT } from "../../../loader/gen/native_gen.ts";
import type { VkCommandBuffer, VkDevice, VkQueue } from "../../../loader/gen/types_core_gen.ts";
import type { Zeroing } from "./memory.ts";
import { zeroMemory } from "../../../wsi/gpu/memory.ts";

/** A queue of a device, for commands of the replay itself. */
export interface Worker {
  /** The device. */
  readonly device: VkDevice;
  /** A queue of the device. */
  readonly queue: VkQueue;
  /** The family of the queue. */
  readonly family: number;
  /** Nanoseconds that the commands may take. */
  readonly patience: bigint;
}

/** The device still has commands, so that nothing that they use can be destroyed. */
export class StillWorking extends TypeError {}

/**
 * Records commands, submits them and waits until the queue has carried them
 * out. Throws a {@linkcode StillWorking} if that takes too long.
 */
export function carryOut(
  { device, queue, family, patience }: Worker,
  record: (commands: VkCommandBuffer) => void,
): void {
  using owned = new DisposableStack();
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: family });
  owned.defer(() => device.vkDestroyCommandPool(commandPool));
  const [commands] = device.vkAllocateCommandBuffers({
    commandPool,
    level: VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    commandBufferCount: 1,
  });
  commands.vkBeginCommandBuffer({});
  record(commands);
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  owned.defer(() => device.vkDestroyFence(fence));
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  if (device.vkWaitForFences([fence], true, patience) !== VK_TIMEOUT) return;
  owned.move();
  throw new StillWorking(`the device has not carried out the replay's own commands in ${patience / 1_000_000n} ms`);
}

/** Runs a step with objects that end with it, unless the device still has them. */
export function withOwned<T>(step: (owned: DisposableStack) => T): T {
  using owned = new DisposableStack();
  try {
    return step(owned);
  } catch (error) {
    if (error instanceof StillWorking) owned.move();
    throw error;
  }
}

/**
 * Returns the function that fills memory of a device with zeros, or does nothing where nobody can work for the device.
 */
export function zeroing(worker: Worker | undefined): Zeroing {
  return (...place) =>
    worker && zeroMemory({ device: worker.device, run: (record) => carryOut(worker, record) }, ...place);
}
