import type { VkBuffer, VkDeviceMemory, VkImage } from "../../loader/types.ts";
import type { Workbench } from "./workbench.ts";

/** VK_MEMORY_PROPERTY_… bits. */
export const DEVICE_LOCAL = 1, HOST_COHERENT = 2 | 4;

/** Allocates memory with these properties for a buffer, binds it, and frees it with the test. */
export function bindBuffer(bench: Workbench, buffer: VkBuffer, properties: number): VkDeviceMemory {
  const memory = allocate(bench, bench.device.vkGetBufferMemoryRequirements(buffer), properties);
  bench.device.vkBindBufferMemory(buffer, memory, 0n);
  return memory;
}

/** The same for an image. */
export function bindImage(bench: Workbench, image: VkImage, properties: number): VkDeviceMemory {
  const memory = allocate(bench, bench.device.vkGetImageMemoryRequirements(image), properties);
  bench.device.vkBindImageMemory(image, memory, 0n);
  return memory;
}

/** Without memory of those properties any will do: what is device-local is a wish. */
function allocate(
  { device, physicalDevice, owned }: Workbench,
  { size, memoryTypeBits }: { size: bigint; memoryTypeBits: number },
  properties: number,
): VkDeviceMemory {
  const { memoryTypes } = physicalDevice.vkGetPhysicalDeviceMemoryProperties();
  const fits = (flags: number) =>
    memoryTypes.findIndex((type, index) =>
      (memoryTypeBits >>> index & 1) === 1 && (type.propertyFlags & flags) === flags
    );
  const wanted = fits(properties), memoryTypeIndex = wanted >= 0 || properties === HOST_COHERENT ? wanted : fits(0);
  if (memoryTypeIndex < 0) throw new RangeError("The device has no memory that the processor sees, for such a buffer");
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  return memory;
}
