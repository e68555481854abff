import { VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT } from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer } from "../../loader/types.ts";
import type { Bench } from "./bench.ts";

/** The timeout that waits for ever. */
const FOR_EVER = 2n ** 64n - 1n;

/** Records commands, submits them and waits until they are finished. Their time counts in the bench's clock. */
export function submit(bench: Bench, record: (commands: VkCommandBuffer) => void): void {
  const { device, queue, queueFamilyIndex, clock } = bench;
  using own = new DisposableStack();
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex });
  own.defer(() => device.vkDestroyCommandPool(commandPool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({ flags: VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT });
  clock.around(commands, () => record(commands));
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  own.defer(() => device.vkDestroyFence(fence));
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  device.vkWaitForFences([fence], true, FOR_EVER);
  clock.read();
}
