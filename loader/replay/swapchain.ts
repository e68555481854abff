import type { StructObject } from "../codec/values/convert.ts";
import type { VkDevice, VkDeviceMemory, VkImage, VkImageCreateInfo } from "../gen/types_core_gen.ts";

const TRANSFER_SRC = 1, IMAGE_TYPE_2D = 1;

/** The images in place of a swapchain's. */
export interface ReplayedSwapchain {
  /** The name of the device. */
  readonly device: string;
  /** The create info of each image. */
  readonly info: VkImageCreateInfo;
  /** The images. */
  readonly images: readonly VkImage[];
  /** The recorded names of the images. */
  readonly names: readonly string[];
  /** Destroys the images and returns their names. */
  close(): readonly string[];
}

/** Returns the create info of an image in place of a swapchain's. The image can be copied from. */
export function imageInfo(info: StructObject): VkImageCreateInfo {
  const { imageFormat, imageExtent, imageArrayLayers, imageUsage } = info;
  return {
    imageType: IMAGE_TYPE_2D,
    format: imageFormat as number,
    extent: { ...imageExtent as { width: number; height: number }, depth: 1 },
    mipLevels: 1,
    arrayLayers: imageArrayLayers as number,
    samples: 1,
    usage: (imageUsage as number) | TRANSFER_SRC,
  };
}

/** Makes the images of a swapchain, each with memory of its own. */
export function makeSwapchain(
  device: VkDevice,
  name: string,
  info: VkImageCreateInfo,
  names: readonly string[],
): ReplayedSwapchain {
  const made: [VkImage, VkDeviceMemory][] = names.map(() => makeImage(device, info));
  function close(): readonly string[] {
    for (const [image, memory] of made.splice(0)) {
      device.vkDestroyImage(image);
      device.vkFreeMemory(memory);
    }
    return names;
  }
  return { device: name, info, images: made.map(([image]) => image), names, close };
}

function makeImage(device: VkDevice, info: VkImageCreateInfo): [VkImage, VkDeviceMemory] {
  const image = device.vkCreateImage(info), { size, memoryTypeBits } = device.vkGetImageMemoryRequirements(image);
  const memoryTypeIndex = 31 - Math.clz32(memoryTypeBits & -memoryTypeBits);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  device.vkBindImageMemory(image, memory, 0n);
  return [image, memory];
}
