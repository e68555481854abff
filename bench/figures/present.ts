import type { VkCommandBuffer, VkDevice, VkFence, VkImage, VkSemaphore, VkSwapchainKHR } from "../../loader/types.ts";
import { FOREVER, Stage, swapchainInfo } from "../../tests/wsi/swapchain/presenter.ts";
import type { NativeWindow } from "../../wsi/window/native_window.ts";
import { droppingConsumer } from "../../wsi/consumer/dropping.ts";
import type { Figure } from "../figure.ts";
import { compare, type Work } from "../measure.ts";
import type { Parts } from "../parts.ts";

const TIMES = 300, SIDE = 256, IN_FLIGHT = 2;
const COLOR_OUTPUT = 0x400, TOP = 1, BOTTOM = 0x2000, PRESENT_SRC = 1000001002, NO_FAMILY = 0xffffffff;

/** The cost of a frame to a window whose consumer drops it, beside a submission without a window. */
export function presentFigures({ lavapipe }: Parts): Figure[] {
  using one = presenterOf(lavapipe);
  const { ours, theirs } = compare(one.present, one.submit, TIMES), { queued, copies } = one.statistics();
  if (queued === 0 || copies > 0) throw new Error(`Cannot measure: of ${queued} frames, ${copies} were copied`);
  return [
    {
      name: "present_us",
      meaning: `acquire, submit and present ${SIDE} × ${SIDE} pixels to a consumer that drops them; lavapipe`,
      value: ours / 1000,
      unit: "µs",
      goal: 60,
    },
    {
      name: "present_submit_us",
      meaning: "as much of a submission without a window",
      value: theirs / 1000,
      unit: "µs",
    },
    { name: "present_copies", meaning: "copies of a frame on its way", value: copies / queued, unit: "", goal: 0 },
  ];
}

/** A window whose consumer drops its frames, and what presents to it. */
interface Presenter extends Disposable {
  readonly present: Work;
  /** As much of a submission without a window. */
  readonly submit: Work;
  statistics(): NativeWindow["statistics"];
}

/** Opens a window with a device of its own. */
export function presenterOf(driver: string): Presenter {
  const stage = new Stage({ driver, window: { width: SIDE, height: SIDE, consumer: droppingConsumer() } });
  const { device, surface, window: target } = stage;
  const swapchain = device.vkCreateSwapchainKHR(swapchainInfo(surface, target));
  const images = device.vkGetSwapchainImagesKHR(swapchain), frames = makeFrames(device, images);
  return {
    present: presenting(stage, swapchain, frames),
    submit: submitting(stage, frames),
    statistics: () => target.statistics,
    [Symbol.dispose]() {
      device.vkDeviceWaitIdle();
      frames.destroy();
      device.vkDestroySwapchainKHR(swapchain);
      stage[Symbol.dispose]();
    },
  };
}

/** The objects that every frame reuses, so that nothing is made during a measurement. */
interface Frames {
  /** Commands that have nothing to do with images. */
  readonly plain: VkCommandBuffer;
  /** For each image, commands that bring it into the layout for presentation. */
  readonly commands: readonly VkCommandBuffer[];
  /** For each image. */
  readonly drawn: readonly VkSemaphore[];
  /** For each frame in flight. */
  readonly slots: readonly { readonly acquired: VkSemaphore; readonly done: VkFence }[];
  /** Destroys all of it. */
  destroy(): void;
}

function makeFrames(device: VkDevice, images: readonly VkImage[]): Frames {
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const commandBufferCount = 1 + images.length;
  const [plain, ...commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount });
  record(plain);
  commands.forEach((each, index) => record(each, images[index]));
  const drawn = images.map(() => device.vkCreateSemaphore({}));
  const slots = Array.from({ length: IN_FLIGHT }, () => {
    return { acquired: device.vkCreateSemaphore({}), done: device.vkCreateFence({ flags: 1 }) };
  });
  const destroy = () => {
    device.vkDestroyCommandPool(commandPool);
    for (const semaphore of [...drawn, ...slots.map(({ acquired }) => acquired)]) device.vkDestroySemaphore(semaphore);
    for (const { done } of slots) device.vkDestroyFence(done);
  };
  return { plain, commands, drawn, slots, destroy };
}

function record(commands: VkCommandBuffer, image?: VkImage): void {
  commands.vkBeginCommandBuffer({});
  if (!image) commands.vkCmdPipelineBarrier(TOP, BOTTOM, 0, [{}], null, null);
  else {commands.vkCmdPipelineBarrier(TOP, BOTTOM, 0, null, null, [{
      ...{ image, newLayout: PRESENT_SRC, srcQueueFamilyIndex: NO_FAMILY, dstQueueFamilyIndex: NO_FAMILY },
      subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1 },
    }]);}
  commands.vkEndCommandBuffer();
}

function presenting({ device, queue }: Stage, swapchain: VkSwapchainKHR, { commands, drawn, slots }: Frames): Work {
  return (times) => {
    for (let i = 0; i < times; i++) {
      const { acquired, done } = slots[i % IN_FLIGHT];
      device.vkWaitForFences([done], true, FOREVER);
      device.vkResetFences([done]);
      const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, acquired);
      queue.vkQueueSubmit([{
        pWaitSemaphores: [acquired],
        pWaitDstStageMask: [COLOR_OUTPUT],
        pCommandBuffers: [commands[imageIndex]],
        pSignalSemaphores: [drawn[imageIndex]],
      }], done);
      queue.vkQueuePresentKHR({
        pWaitSemaphores: [drawn[imageIndex]],
        pSwapchains: [swapchain],
        pImageIndices: [imageIndex],
      });
    }
  };
}

function submitting({ device, queue }: Stage, { plain, slots }: Frames): Work {
  return (times) => {
    for (let i = 0; i < times; i++) {
      const { done } = slots[i % IN_FLIGHT];
      device.vkWaitForFences([done], true, FOREVER);
      device.vkResetFences([done]);
      queue.vkQueueSubmit([{ pCommandBuffers: [plain] }], done);
    }
  };
}
