import type { VkCommandBuffer } from "../../loader/types.ts";
import type { Workbench } from "./workbench.ts";

/** VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT; longer than any driver waits. */
const ONE_TIME = 1, FOR_EVER = 2n ** 64n - 1n;

/** Records commands, submits them and waits until they are done. What they took counts for the budget. */
export function submit(bench: Workbench, record: (commands: VkCommandBuffer) => void): void {
  const { device, queue, queueFamilyIndex, clock } = bench;
  using own = new DisposableStack();
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex });
  own.defer(() => device.vkDestroyCommandPool(commandPool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({ flags: ONE_TIME });
  clock.around(commands, () => record(commands));
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  own.defer(() => device.vkDestroyFence(fence));
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  device.vkWaitForFences([fence], true, FOR_EVER);
  clock.read();
}
