import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_WHOLE_SIZE,
} from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer, VkDevice, VkDeviceMemory } from "../../loader/gen/types_core_gen.ts";
import type { VkBuffer, VkImage } from "../../loader/types.ts";
import type { Bench } from "./bench.ts";

/** Memory that the device reaches fastest. */
export const DEVICE_LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
/** Memory that the processor can access without flushes. */
export const HOST_COHERENT = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/** Memory that was allocated. */
export interface Allocated {
  readonly memory: VkDeviceMemory;
  /** Bytes. */
  readonly size: number;
  /** Index of the memory's type. */
  readonly type: number;
}

/** Allocates memory with these properties for a buffer, binds the memory, and frees it with the bench. */
export function bindBuffer(bench: Bench, buffer: VkBuffer, properties: number): Allocated {
  const allocated = allocate(bench, bench.device.vkGetBufferMemoryRequirements(buffer), properties);
  bench.device.vkBindBufferMemory(buffer, allocated.memory, 0n);
  return allocated;
}

/** Allocates memory with these properties for an image, binds the memory, and frees it with the bench. */
export function bindImage(bench: Bench, image: VkImage, properties: number): Allocated {
  const allocated = allocate(bench, bench.device.vkGetImageMemoryRequirements(image), properties);
  bench.device.vkBindImageMemory(image, allocated.memory, 0n);
  return allocated;
}

/** Allocates memory. Other memory may replace device-local memory, but not memory that the processor accesses. */
function allocate(
  { device, physicalDevice, owned }: Bench,
  { size, memoryTypeBits }: { size: bigint; memoryTypeBits: number },
  properties: number,
): Allocated {
  const { memoryTypes } = physicalDevice.vkGetPhysicalDeviceMemoryProperties();
  const fits = (flags: number) =>
    memoryTypes.findIndex((type, index) =>
      (memoryTypeBits >>> index & 1) === 1 && (type.propertyFlags & flags) === flags
    );
  const wanted = fits(properties), memoryTypeIndex = wanted >= 0 || properties === HOST_COHERENT ? wanted : fits(0);
  if (memoryTypeIndex < 0) throw new RangeError("The device has no memory of the kind that the buffer or image needs");
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  return { memory, size: Number(size), type: memoryTypeIndex };
}

/** The queue that fills memory of a device. */
interface MemoryFiller {
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
