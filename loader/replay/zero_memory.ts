import { VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_WHOLE_SIZE } from "../gen/native_gen.ts";
import type { VkDeviceMemory } from "../gen/types_core_gen.ts";
import { carryOut, type Worker } from "./carry_out.ts";
import type { Zeroing } from "./memory.ts";

/** Fills memory that the host cannot see with zeros. Does nothing if no buffer can be bound to the memory. */
export function zeroMemory(worker: Worker, memory: VkDeviceMemory, allocated: number, type: number): void {
  const { device } = worker;
  using owned = new DisposableStack();
  const buffer = device.vkCreateBuffer({ size: BigInt(allocated), usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { size, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  if (size > BigInt(allocated) || (memoryTypeBits >>> type & 1) === 0) return;
  device.vkBindBufferMemory(buffer, memory, 0n);
  carryOut(worker, (commands) => commands.vkCmdFillBuffer(buffer, 0n, VK_WHOLE_SIZE, 0));
}

/** What fills memory of a device with zeros; nothing where nobody can work for the device. */
export function zeroing(worker: Worker | undefined): Zeroing {
  return (...place) => worker && zeroMemory(worker, ...place);
}
