import {
  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_TRANSFER_READ_BIT,
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  type VkColorSpaceKHR,
  type VkCommandBuffer,
  type VkFormat,
} from "@pumice/gfx/vk";
import { type Gpu, openScope } from "../draw/gpu.ts";
import { type Extent, hostBuffer, texture } from "../draw/resources.ts";
import { makePainter } from "./painter.ts";

/** The target of drawing, with no window. */
export interface OffscreenOptions {
  /** Size in pixels. */
  readonly extent: Extent;
  /** The image's format. */
  readonly format: VkFormat;
  /** Bytes of one of its pixels. */
  readonly bytesPerPixel: number;
  /** The color space of the values. */
  readonly colorSpace?: VkColorSpaceKHR;
  /** See `PaintTargets.numbered`. */
  readonly numbered?: boolean;
}

/** Draws frames of the island off-screen. */
export interface Offscreen extends Disposable {
  /** A frame's pixels as they lie in memory, rows from the top, nothing between them. Valid until the next is drawn. */
  draw(number: number): Uint8Array;
}

/** A kind of work: when, and what it does to memory. */
type Work = readonly [stage: number, access: number];

const DRAWN: Work = [VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT];
const COPYING: Work = [VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT];
const COPIED: Work = [VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT];
const READING: Work = [VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT];

/** Makes an image to draw into and a buffer to read it by. */
export function makeOffscreen(device: Gpu, options: OffscreenOptions): Offscreen {
  const gpu = openScope(device), { device: commandsOf, queue, queueFamilyIndex, owned } = gpu;
  const { extent, format, bytesPerPixel } = options, { width, height } = extent;
  const usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const { image } = texture(gpu, format, extent, usage);
  const pixels = hostBuffer(gpu, bytesPerPixel * width * height, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const painter = owned.use(makePainter(gpu, { ...options, images: [image], layout }));
  const flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  const commandPool = commandsOf.vkCreateCommandPool({ flags, queueFamilyIndex });
  owned.defer(() => commandsOf.vkDestroyCommandPool(commandPool));
  const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  const [commands] = commandsOf.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
  const region = {
    imageSubresource: { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 },
    imageExtent: { width, height, depth: 1 },
  };
  return {
    draw(number) {
      commands.vkBeginCommandBuffer({});
      painter.record(commands, 0, number);
      order(commands, DRAWN, COPYING);
      commands.vkCmdCopyImageToBuffer(image, layout, pixels.buffer, [region]);
      order(commands, COPIED, READING);
      commands.vkEndCommandBuffer();
      queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
      queue.vkQueueWaitIdle();
      return pixels.bytes;
    },
    [Symbol.dispose]: () => owned.dispose(),
  };
}

function order(commands: VkCommandBuffer, [before, srcAccessMask]: Work, [after, dstAccessMask]: Work): void {
  commands.vkCmdPipelineBarrier(before, after, 0, [{ srcAccessMask, dstAccessMask }], [], []);
}
