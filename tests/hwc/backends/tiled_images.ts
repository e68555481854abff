/**
 * Images with a DRM format modifier that a driver makes, as buffers: what a GPU's producer gives a composer.
 *
 * @module
 */
import {
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import {
  VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
  VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
  VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
} from "../../../loader/gen/enums_stype_gen.js";
import type { VkCommandBuffer, VkImage } from "../../../loader/types.ts";
import type { ComposeDevice } from "../../../hwc/backends/vulkan/device.ts";
import { hostBuffer } from "../../../hwc/backends/vulkan/gpu_buffer.ts";
import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { wholeInfo } from "../../../wsi/gpu/bare_image.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";

/** VkFormat and HAL_PIXEL_FORMAT of the images. */
export const RGBA = { vk: 37, hal: 1 };
const COLOR = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT };
const PATIENCE = 10_000_000_000n;
let last = 1n << 62n;

/** Makes an image in a layout, with words of RGBA, and returns it as a buffer that only its driver reads. */
export function tiledImage(on: ComposeDevice, modifier: bigint, width: number, words: Uint32Array): GraphicBuffer {
  const { device, tileMemory: handleType } = on, height = words.length / width;
  const image = device.vkCreateImage(imageInfo(handleType, modifier, width, height));
  const { size, memoryTypeBits } = device.vkGetImageMemoryRequirements(image);
  const memory = device.vkAllocateMemory({
    pNext: [
      { sType: VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, handleTypes: handleType },
      { sType: VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, image },
    ],
    allocationSize: size,
    memoryTypeIndex: 31 - Math.clz32(memoryTypeBits & -memoryTypeBits),
  });
  device.vkBindImageMemory(image, memory, 0n);
  const plane = { aspectMask: VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, mipLevel: 0, arrayLayer: 0 };
  const { rowPitch } = device.vkGetImageSubresourceLayout(image, plane);
  write(on, image, width, words);
  const fd = device.vkGetMemoryFdKHR({ memory, handleType });
  const close = () => {
    closeDescriptor(fd);
    device.vkDestroyImage(image);
    device.vkFreeMemory(memory);
  };
  const request = { width, height, format: RGBA.hal, usage: USAGE.GPU_TEXTURE | USAGE.GPU_RENDER_TARGET };
  return new GraphicBuffer(request, {
    id: ++last,
    stride: Number(rowPitch) / 4,
    rowPitch: Number(rowPitch),
    memory: { fd, address: 0n, size: Number(size), kind: "dma-buf", close() {} },
    handle: 0n,
    modifier,
    close,
  });
}

function imageInfo(handleTypes: number, modifier: bigint, width: number, height: number) {
  const pNext = [
    { sType: VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, handleTypes },
    { sType: VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT, pDrmFormatModifiers: [modifier] },
  ] as const;
  const usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
  return wholeInfo({ pNext, format: RGBA.vk, extent: { width, height }, tiling, usage });
}

/** Writes the words to the image, and gives the image away. */
function write(on: ComposeDevice, image: VkImage, width: number, words: Uint32Array): void {
  const { device, queue, family, otherFamily } = on, height = words.length / width;
  const from = hostBuffer(on, words.byteLength, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const there = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(from.address)!, words.byteLength);
  new Uint32Array(there).set(words);
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: family });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  const fence = device.vkCreateFence({});
  commands.vkBeginCommandBuffer({});
  move(commands, image, [VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL], [family, family]);
  commands.vkCmdCopyBufferToImage(from.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, [{
    imageSubresource: { ...COLOR, layerCount: 1 },
    imageExtent: { width, height, depth: 1 },
  }]);
  move(commands, image, [VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL], [family, otherFamily]);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  device.vkWaitForFences([fence], true, PATIENCE);
  device.vkDestroyFence(fence);
  device.vkDestroyCommandPool(commandPool);
  from.close();
}

function move(
  commands: VkCommandBuffer,
  image: VkImage,
  [oldLayout, newLayout]: readonly [number, number],
  [srcQueueFamilyIndex, dstQueueFamilyIndex]: readonly [number, number],
): void {
  const [before, after] = [VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT];
  commands.vkCmdPipelineBarrier(before, after, 0, null, null, [{
    image,
    subresourceRange: { ...COLOR, levelCount: 1, layerCount: 1 },
    srcAccessMask: VK_ACCESS_TRANSFER_WRITE_BIT,
    dstAccessMask: VK_ACCESS_TRANSFER_WRITE_BIT,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex,
    dstQueueFamilyIndex,
  }]);
}
