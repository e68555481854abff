import type { VkCommandBuffer, VkDevice } from "../../loader/gen/types_core_gen.ts";

/** Records a command buffer for queue 0 of family 0, submits it and waits. */
export function record(device: VkDevice, write: (commands: VkCommandBuffer) => void): void {
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  try {
    const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
    commands.vkBeginCommandBuffer({});
    write(commands);
    commands.vkEndCommandBuffer();
    const queue = device.vkGetDeviceQueue(0, 0);
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
    queue.vkQueueWaitIdle();
  } finally {
    device.vkDestroyCommandPool(commandPool);
  }
}
