import { VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_WHOLE_SIZE } from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer, VkDevice, VkDeviceMemory } from "../../loader/gen/types_core_gen.ts";

/** The queue that fills memory of a device. */
export interface MemoryFiller {
  /** The device. */
  readonly device: VkDevice;
  /** Records commands, and waits until the device has carried them out. */
  run(record: (commands: VkCommandBuffer) => void): void;
}

/** Fills memory that the host cannot see with zeros. Does nothing if no buffer can be bound to the memory. */
export function zeroMemory(
  { device, run }: MemoryFiller,
  memory: VkDeviceMemory,
  allocated: number,
  type: number,
): void {
  using owned = new DisposableStack();
  const buffer = device.vkCreateBuffer({ size: BigInt(allocated), usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { size, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  if (size > BigInt(allocated) || (memoryTypeBits >>> type & 1) === 0) return;
  device.vkBindBufferMemory(buffer, memory, 0n);
  run((commands) => commands.vkCmdFillBuffer(buffer, 0n, VK_WHOLE_SIZE, 0));
}
