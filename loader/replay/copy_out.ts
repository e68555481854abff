import type { VkBuffer, VkCommandBuffer, VkPhysicalDevice } from "../gen/types_core_gen.ts";
import { bytesAt } from "../../ffi/arena.ts";
import { carryOut, type Worker } from "./carry_out.ts";

const TRANSFER_DST = 2, HOST_VISIBLE_COHERENT = 6;
const ALL_COMMANDS = 0x10000, HOST = 0x4000;
const HOST_READ = 0x2000, MEMORY_READ = 0x8000, MEMORY_WRITE = 0x10000;
const WHOLE_SIZE = 2n ** 64n - 1n;

/** The device and the queue for copying. */
export interface Copier extends Worker {
  /** The physical device. */
  readonly gpu: VkPhysicalDevice;
}

/**
 * Returns the bytes that recorded commands write into a buffer of a size, after all earlier work of the queue. `usage`
 * says how: VkBufferUsageFlags.
 */
export function copyOut(
  { gpu, device, queue, family }: Copier,
  size: number,
  record: (commands: VkCommandBuffer, buffer: VkBuffer) => void,
  usage: number = TRANSFER_DST,
): Uint8Array<ArrayBuffer> {
  using owned = new DisposableStack();
  const buffer = device.vkCreateBuffer({ size: BigInt(size), usage });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { size: allocationSize, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  const memoryTypeIndex = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.findIndex(({ propertyFlags }, index) =>
    (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & HOST_VISIBLE_COHERENT) === HOST_VISIBLE_COHERENT
  );
  const memory = device.vkAllocateMemory({ allocationSize, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  device.vkBindBufferMemory(buffer, memory, 0n);
  const barrier = { srcAccessMask: MEMORY_WRITE, dstAccessMask: MEMORY_READ };
  carryOut({ device, queue, family }, (commands) => {
    commands.vkCmdPipelineBarrier(ALL_COMMANDS, ALL_COMMANDS, 0, [barrier], [], []);
    record(commands, buffer);
    const forHost = [{ ...barrier, dstAccessMask: HOST_READ }];
    commands.vkCmdPipelineBarrier(ALL_COMMANDS, ALL_COMMANDS | HOST, 0, forHost, [], []);
  });
  return bytesAt(device.vkMapMemory(memory, 0n, WHOLE_SIZE), size);
}
