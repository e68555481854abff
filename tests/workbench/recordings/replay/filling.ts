/**
 * A small program that writes, fills and reads a buffer.
 *
 * @module
 */
import type { VkDevice, VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_WHOLE_SIZE,
} from "../../../../loader/vk.ts";
import { recorded } from "./recorded.ts";

const SIZE = 4096n, BOTH = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
/** VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT and VK_MEMORY_PROPERTY_HOST_COHERENT_BIT. */
const HOST = 6;

/** Asks as programs do, and returns the first memory type that hosts see. */
export function hostType(gpu: VkPhysicalDevice): number {
  gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
  return memoryTypes.findIndex(({ propertyFlags }) => (propertyFlags & HOST) === HOST);
}

/** Makes a device with one queue. */
export function makeDevice(gpu: VkPhysicalDevice): VkDevice {
  return gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
}

/**
 * Writes words into memory from the host, fills a quarter from the device, and
 * copies words of the host to the next. Returns a word of each.
 */
export function fillAndRead(device: VkDevice, memoryTypeIndex: number, value: number): number[] {
  const buffer = device.vkCreateBuffer({ size: SIZE, usage: BOTH });
  const memory = device.vkAllocateMemory({ allocationSize: SIZE, memoryTypeIndex });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const at = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE))!;
  const words = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(at, Number(SIZE)));
  words.fill(7 * value);
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  commands.vkCmdFillBuffer(buffer, 0n, SIZE / 4n, value);
  commands.vkCmdCopyBuffer(buffer, buffer, [{ srcOffset: SIZE / 2n, dstOffset: SIZE / 4n, size: SIZE / 4n }]);
  commands.vkEndCommandBuffer();
  const queue = device.vkGetDeviceQueue(0, 0);
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
  queue.vkQueueWaitIdle();
  const seen = [words[0], words[Number(SIZE) / 8 - 1]];
  device.vkDestroyCommandPool(commandPool);
  device.vkDestroyBuffer(buffer);
  device.vkFreeMemory(memory);
  return seen;
}

/** Records the program with the value 5. Returns what it read. */
export function recordFilling(path: string, driver: string): number[] {
  return recorded(path, { driver }, (instance) => {
    const [gpu] = instance.vkEnumeratePhysicalDevices(), type = hostType(gpu);
    using device = makeDevice(gpu);
    return fillAndRead(device, type, 5);
  });
}
