import type { BusyQueue, TrialBench } from "./trial_bench.ts";
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT } from "../../loader/gen/native_gen.ts";

/**
 * The size of the memory to fill, and the number of times: enough to keep any GPU busy for a while, and not too much
 * for a CPU.
 */
const BYTES = 64n << 20n, TIMES = 16;

/** Gives a queue work for a while. At the end of the scope the queue is idle. */
export function occupy({ device, gpu }: TrialBench, { queue, family }: BusyQueue): Disposable {
  using owned = new DisposableStack();
  const buffer = device.vkCreateBuffer({ size: BYTES, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { size, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
  const memoryTypeIndex = memoryTypes.findIndex((_, index) => (memoryTypeBits >> index & 1) !== 0);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  device.vkBindBufferMemory(buffer, memory, 0n);
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: family });
  owned.defer(() => device.vkDestroyCommandPool(pool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  for (let time = 0; time < TIMES; time++) commands.vkCmdFillBuffer(buffer, 0n, BYTES, time);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], null);
  owned.defer(() => queue.vkQueueWaitIdle());
  return owned.move();
}
