import type { VkCommandBuffer, VkImage, VkSemaphore } from "../../loader/types.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { TrialBench } from "./trial_bench.ts";
import type { TrialImage } from "./trial_images.ts";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_QUEUE_FAMILY_IGNORED,
} from "../../loader/gen/native_gen.ts";
import { COLOR_RANGE } from "../adaptor/constants.ts";

/** The color that is drawn, and the bytes of a pixel with that color. */
const COLOR = [1, 0, 1, 1] as const, PIXEL = [255, 0, 255, 255] as const;
const TRANSFER_DST = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
const ALL_COMMANDS = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
/** Every access. */
const ANY = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

/** Commands that draw to an image. At the end of the scope the queue is idle and the commands are freed. */
export interface Drawing extends Disposable {
  /** The number of pixels of the buffer that do not have the color. */
  wrongPixels(buffer: GraphicBuffer): number;
}

/**
 * Fills an image with one color and makes the image ready to be presented. Waits for one semaphore and signals another.
 */
export function drawColor(
  { device, queue, family }: TrialBench,
  { image }: TrialImage,
  { wait, signal }: { readonly wait: VkSemaphore; readonly signal: VkSemaphore },
): Drawing {
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: family });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  move(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, TRANSFER_DST);
  commands.vkCmdClearColorImage(image, TRANSFER_DST, { float32: [...COLOR] }, [COLOR_RANGE]);
  move(commands, image, TRANSFER_DST, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{
    pCommandBuffers: [commands],
    pWaitSemaphores: [wait],
    pWaitDstStageMask: [ALL_COMMANDS],
    pSignalSemaphores: [signal],
  }], null);
  return {
    wrongPixels,
    [Symbol.dispose]() {
      queue.vkQueueWaitIdle();
      device.vkDestroyCommandPool(pool);
    },
  };
}

function move(commands: VkCommandBuffer, image: VkImage, oldLayout: number, newLayout: number): void {
  commands.vkCmdPipelineBarrier(ALL_COMMANDS, ALL_COMMANDS, 0, null, null, [{
    srcAccessMask: ANY,
    dstAccessMask: ANY,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: COLOR_RANGE,
  }]);
}

function wrongPixels(buffer: GraphicBuffer): number {
  const { width, height, rowPitch } = buffer, bytes = buffer.lock();
  let wrong = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * rowPitch + x * PIXEL.length;
      if (PIXEL.some((byte, index) => bytes[at + index] !== byte)) wrong++;
    }
  }
  buffer.unlock();
  return wrong;
}
