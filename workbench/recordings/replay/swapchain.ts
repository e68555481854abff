import {
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../../loader/gen/native_gen.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import type { VkDevice, VkImage, VkImageCreateInfo } from "../../../loader/gen/types_core_gen.ts";
import type { ReplayedMemory, Requirements } from "./memory.ts";

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
  /** The memory of each image. */
  readonly memories: readonly ReplayedMemory[];
  /** The names of the queues that last presented images, by the images' indices, until the images are acquired again. */
  readonly shown: Map<number, string>;
  /** Destroys the images and returns their names. */
  close(): readonly string[];
}

/** Returns the create info of an image in place of a swapchain's. The image can be copied from. */
export function imageInfo(info: StructObject): VkImageCreateInfo {
  const { imageFormat, imageExtent, imageArrayLayers, imageUsage } = info;
  return {
    imageType: VK_IMAGE_TYPE_2D,
    format: imageFormat as number,
    extent: { ...imageExtent as { width: number; height: number }, depth: 1 },
    mipLevels: 1,
    arrayLayers: imageArrayLayers as number,
    samples: VK_SAMPLE_COUNT_1_BIT,
    usage: (imageUsage as number) | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  };
}

/** Makes the images of a swapchain, each with memory of its own. */
export function makeSwapchain(
  device: VkDevice,
  name: string,
  info: VkImageCreateInfo,
  names: readonly string[],
  allocate: (needs: Requirements) => ReplayedMemory,
): ReplayedSwapchain {
  const made: [VkImage, ReplayedMemory][] = names.map(() => makeImage(device, info, allocate));
  function close(): readonly string[] {
    for (const [image, memory] of made.splice(0)) {
      device.vkDestroyImage(image);
      memory.free();
    }
    return names;
  }
  const images = made.map(([image]) => image), memories = made.map(([, memory]) => memory);
  return { device: name, info, images, names, memories, shown: new Map(), close };
}

function makeImage(
  device: VkDevice,
  info: VkImageCreateInfo,
  allocate: (needs: Requirements) => ReplayedMemory,
): [VkImage, ReplayedMemory] {
  const image = device.vkCreateImage(info), memory = allocate(device.vkGetImageMemoryRequirements(image));
  device.vkBindImageMemory(image, memory.handle, 0n);
  return [image, memory];
}
