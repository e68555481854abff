import type { VkCommandBuffer, VkImage, VkSemaphore } from "../../loader/types.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { TrialBench } from "./trial_bench.ts";
import type { TrialImage } from "./trial_images.ts";
import { VK_IMAGE_LAYOUT_PRESENT_SRC_KHR } from "../../loader/gen/native_gen.ts";

/** The color that is drawn, and the bytes of a pixel with that color. */
const COLOR = [1, 0, 1, 1] as const, PIXEL = [255, 0, 255, 255] as const;
const UNDEFINED = 0, TRANSFER_DST = 7, PRESENT_SRC = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
const ALL_COMMANDS = 0x10000, ACCESS = 0x18000, NO_FAMILY = 0xffffffff;
const WHOLE = { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 } as const;

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
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  move(commands, image, UNDEFINED, TRANSFER_DST);
  commands.vkCmdClearColorImage(image, TRANSFER_DST, { float32: [...COLOR] }, [WHOLE]);
  move(commands, image, TRANSFER_DST, PRESENT_SRC);
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
    srcAccessMask: ACCESS,
    dstAccessMask: ACCESS,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: NO_FAMILY,
    dstQueueFamilyIndex: NO_FAMILY,
    image,
    subresourceRange: WHOLE,
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
