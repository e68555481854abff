import { VK_COMMAND_BUFFER_LEVEL_PRIMARY } from "../gen/native_gen.ts";
import type { VkCommandBuffer, VkDevice, VkQueue } from "../gen/types_core_gen.ts";
import type { Zeroing } from "./memory.ts";
import { zeroMemory } from "./zero_memory.ts";

/** A queue of a device, for commands of the replay itself. */
export interface Worker {
  /** The device. */
  readonly device: VkDevice;
  /** A queue of the device. */
  readonly queue: VkQueue;
  /** The family of the queue. */
  readonly family: number;
}

/** Records commands, submits them and waits until the queue has carried them out. */
export function carryOut({ device, queue, family }: Worker, record: (commands: VkCommandBuffer) => void): void {
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
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
  queue.vkQueueWaitIdle();
}

/** What fills memory of a device with zeros; nothing where nobody can work for the device. */
export function zeroing(worker: Worker | undefined): Zeroing {
  return (...place) =>
    worker && zeroMemory({ device: worker.device, run: (record) => carryOut(worker, record) }, ...place);
}
