import {
  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_SHADER_STAGE_VERTEX_BIT,
} from "../../loader/gen/enums_core_gen.js";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../loader/gen/native_gen.ts";
import { seen } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { VkCommandBuffer, VkFence, VkImage, VkImageLayout, VkSemaphore } from "../../loader/types.ts";
import { COLOR_RANGE } from "../adaptor/constants.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { ownedDevice, type Owning } from "../gpu/bench.ts";
import { makeGraphicsPipeline } from "../gpu/draw.ts";
import { makePass } from "../gpu/render_pass.ts";
import { paintFFrag, pulledVert } from "../gpu/shaders/shaders_gen.ts";
import { occupy, type TrialBench } from "./trial.ts";
import type { TrialImage } from "./trial_images.ts";

/** A semaphore and a VkFence, destroyed at the end of the scope. */
export function signals({ device }: TrialBench): { semaphore: VkSemaphore; fence: VkFence } & Disposable {
  const semaphore = device.vkCreateSemaphore({}), fence = device.vkCreateFence({});
  return {
    semaphore,
    fence,
    [Symbol.dispose]() {
      device.vkDestroySemaphore(semaphore);
      device.vkDestroyFence(fence);
    },
  };
}

/**
 * Draws a whole frame into an image, and checks whether the buffer contains the frame. The queue has other work first:
 * a driver that says too early that the frame is drawn is caught by pixels that are not there yet.
 */
export function shows(bench: TrialBench, shown: TrialImage, before = "", way: Way = "clear"): Outcome {
  const { image, buffer } = shown;
  using acquired = signals(bench), drawn = signals(bench);
  bench.device.vkAcquireImageANDROID(image, -1, acquired.semaphore);
  using _work = occupy(bench, bench);
  using drawing = drawColor(bench, shown, { wait: acquired.semaphore, signal: drawn.semaphore }, way);
  using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID([drawn.semaphore], image));
  if (!fence.wait(bench.timeout)) return seen(false, "the fence was never signalled");
  const wrong = drawing.wrongPixels(buffer);
  const found = wrong === 0 ? "every pixel was in the buffer" : `${wrong} pixels were not in the buffer`;
  return seen(wrong === 0, before + found);
}

/** The color that is drawn, and the bytes of a pixel with that color. */
const COLOR = [1, 0, 1, 1] as const, PIXEL = [255, 0, 255, 255] as const;
/** The shaders' constants: a rectangle that covers everything, depth and step, and the pixel. */
const PUSHED = new Uint8Array([
  ...new Uint8Array(new Float32Array([-1, -1, 1, 1, 0, 0, 0, 0]).buffer),
  ...new Uint8Array(new Uint32Array(PIXEL).buffer),
]);
const TRANSFER_DST = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
const ALL_COMMANDS = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
/** Every access. */
const ANY = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

/** The way of the color into an image: by a clear, which drivers often copy, or by triangles, which they rasterise. */
type Way = "clear" | "triangles";

/** Commands that draw to an image. At the end of the scope the queue is idle and the commands are freed. */
interface Drawing extends Disposable {
  /** The number of pixels of the buffer that do not have the color. */
  wrongPixels(buffer: GraphicBuffer): number;
}

/**
 * Fills an image with one color and makes the image ready to be presented. Waits for one semaphore and signals another.
 */
function drawColor(
  bench: TrialBench,
  shown: TrialImage,
  { wait, signal }: { readonly wait: VkSemaphore; readonly signal: VkSemaphore },
  way: Way,
): Drawing {
  const { device, queue, family } = bench, owned = new DisposableStack();
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: family });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  if (way === "clear") clear(commands, shown.image);
  else drawTriangles(commands, { device, owned }, shown);
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
      owned.dispose();
    },
  };
}

function clear(commands: VkCommandBuffer, image: VkImage): void {
  move(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, TRANSFER_DST);
  commands.vkCmdClearColorImage(image, TRANSFER_DST, { float32: [...COLOR] }, [COLOR_RANGE]);
  move(commands, image, TRANSFER_DST, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

/** Two triangles over the whole image, each pixel of which a shader paints. */
function drawTriangles(commands: VkCommandBuffer, bench: Owning, { image, buffer }: TrialImage): void {
  const device = ownedDevice(bench.device, bench.owned), { width, height } = buffer, format = VK_FORMAT_R8G8B8A8_UNORM;
  const view = device.vkCreateImageView({
    image,
    viewType: VK_IMAGE_VIEW_TYPE_2D,
    format,
    subresourceRange: COLOR_RANGE,
  });
  const target = { view, format, width, height, layout: VK_IMAGE_LAYOUT_UNDEFINED as VkImageLayout };
  const { renderPass, framebuffer } = makePass(bench, { target });
  const layout = device.vkCreatePipelineLayout({
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_VERTEX_BIT, offset: 0, size: PUSHED.byteLength }],
  });
  const shaders = { vertex: pulledVert(), fragment: paintFFrag() };
  const pipeline = makeGraphicsPipeline(bench, { ...shaders, layout, renderPass }, {
    samples: VK_SAMPLE_COUNT_1_BIT,
    colors: 1,
    width,
    height,
  });
  const renderArea = { offset: { x: 0, y: 0 }, extent: { width, height } };
  const nothing = [{ color: { float32: [0, 0, 0, 0] } }];
  commands.vkCmdBeginRenderPass({ renderPass, framebuffer, renderArea, pClearValues: nothing }, 0);
  commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  commands.vkCmdPushConstants(layout, VK_SHADER_STAGE_VERTEX_BIT, 0, PUSHED);
  commands.vkCmdDraw(6, 1, 0, 0);
  commands.vkCmdEndRenderPass();
  move(commands, image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
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
