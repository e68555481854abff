import type { VkInstance, VkPhysicalDevice } from "../../loader/gen/types_core_gen.ts";

const TRANSFER_DST = 2, HOST_VISIBLE_COHERENT = 6;

/** Fills a buffer with a word on the instance's first device; see {@linkcode fillAndReadOn}. */
export function fillAndRead(instance: VkInstance, word: number): number {
  return fillAndReadOn(instance.vkEnumeratePhysicalDevices()[0], word);
}

/** Fills a buffer with a word on a device, reads it back and returns what is there in all places, or NaN. */
export function fillAndReadOn(gpu: VkPhysicalDevice, word: number): number {
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const queue = device.vkGetDeviceQueue(0, 0), size = 65536n;
  const buffer = device.vkCreateBuffer({ size, usage: TRANSFER_DST });
  const needed = device.vkGetBufferMemoryRequirements(buffer);
  const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
  const memoryTypeIndex = memoryTypes.findIndex((type, index) =>
    (needed.memoryTypeBits >> index & 1) === 1 && (type.propertyFlags & HOST_VISIBLE_COHERENT) === HOST_VISIBLE_COHERENT
  );
  const memory = device.vkAllocateMemory({ allocationSize: needed.size, memoryTypeIndex });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  commands.vkCmdFillBuffer(buffer, 0n, size, word);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
  queue.vkQueueWaitIdle();
  const mapped = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, size))!;
  const words = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(mapped, Number(size)).slice(0));
  device.vkDestroyCommandPool(pool);
  device.vkDestroyBuffer(buffer);
  device.vkFreeMemory(memory);
  return words.every((each) => each === words[0]) ? words[0] : NaN;
}
