import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_WHOLE_SIZE,
} from "../../../loader/gen/native_gen.ts";
import type { VkBuffer, VkCommandBuffer, VkPhysicalDevice } from "../../../loader/gen/types_core_gen.ts";
import { bytesAt } from "../../../ffi/arena.ts";
import { carryOut, withOwned, type Worker } from "./carry_out.ts";

const VISIBLE_COHERENT = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
const HOST_OR_COMMANDS = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;

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
  copier: Copier,
  size: number,
  record: (commands: VkCommandBuffer, buffer: VkBuffer) => void,
  usage: number = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
): Uint8Array<ArrayBuffer> {
  return withOwned((owned) => copyWith(owned, copier, size, record, usage));
}

function copyWith(
  owned: DisposableStack,
  copier: Copier,
  size: number,
  record: (commands: VkCommandBuffer, buffer: VkBuffer) => void,
  usage: number,
): Uint8Array<ArrayBuffer> {
  const { gpu, device } = copier;
  const buffer = device.vkCreateBuffer({ size: BigInt(size), usage });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { size: allocationSize, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  const memoryTypeIndex = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.findIndex(({ propertyFlags }, index) =>
    (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & VISIBLE_COHERENT) === VISIBLE_COHERENT
  );
  const memory = device.vkAllocateMemory({ allocationSize, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  device.vkBindBufferMemory(buffer, memory, 0n);
  const barrier = { srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT, dstAccessMask: VK_ACCESS_MEMORY_READ_BIT };
  carryOut(copier, (commands) => {
    commands.vkCmdPipelineBarrier(
      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
      0,
      [barrier],
      [],
      [],
    );
    record(commands, buffer);
    const forHost = [{ ...barrier, dstAccessMask: VK_ACCESS_HOST_READ_BIT }];
    commands.vkCmdPipelineBarrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, HOST_OR_COMMANDS, 0, forHost, [], []);
  });
  return bytesAt(device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE), size);
}
