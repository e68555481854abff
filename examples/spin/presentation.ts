import { VulkanError } from "@pumice/gfx";
import {
  VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
  VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
  VK_ERROR_OUT_OF_DATE_KHR,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  type VkColorSpaceKHR,
  type VkFormat,
  type VkImage,
  type VkSemaphore,
  type VkSwapchainKHR,
} from "@pumice/gfx/vk";
import { openScope } from "../draw/gpu.ts";
import type { Extent } from "../draw/resources.ts";
import { type InFlight, makeInFlight, makeSemaphore } from "./in_flight.ts";
import { makePainter } from "./painter.ts";
import type { Stage } from "./stage.ts";

/** Options of a swapchain. */
export interface PresentationOptions {
  /** Default `VK_FORMAT_R8G8B8A8_UNORM`. */
  readonly format?: VkFormat;
  /** Default `VK_COLOR_SPACE_SRGB_NONLINEAR_KHR`. */
  readonly colorSpace?: VkColorSpaceKHR;
  /** See `PaintTargets.numbered`. */
  readonly numbered?: boolean;
  /** The presentation that this one takes the place of. */
  readonly instead?: Presentation;
}

/** A swapchain with what draws into it. */
export interface Presentation extends Disposable {
  /** The size of its images. */
  readonly extent: Extent;
  /** The swapchain. */
  readonly swapchain: VkSwapchainKHR;
  /**
   * Draws and presents frame `number`; false when the swapchain is out of date
   * and must be replaced. A window that refreshes by itself is presented to once.
   */
  show(number: number): boolean;
  /** Waits until the device is done with all of it. */
  settle(): void;
}

const FOREVER = 2n ** 64n - 1n;
/** The number of frames that are drawn at a time; of a shared image no more than one. */
const IN_FLIGHT = 2;

/** The size that a surface wants its images to have. */
export function extentOf({ physicalDevice, surface }: Stage): Extent {
  return physicalDevice.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface).currentExtent;
}

/** Makes a swapchain in the window's size and everything to draw the island into it. */
export function makePresentation(stage: Stage, options: PresentationOptions = {}): Presentation {
  const gpu = openScope(stage.gpu), { device, queue, owned } = gpu, { mode } = stage;
  const { format = VK_FORMAT_R8G8B8A8_UNORM, colorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR, numbered } = options;
  const extent = extentOf(stage);
  const swapchain = makeSwapchain(stage, { ...options, format, colorSpace }, extent);
  owned.defer(() => device.vkDestroySwapchainKHR(swapchain));
  const images = device.vkGetSwapchainImagesKHR(swapchain);
  const layout = mode.isShared ? VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  const painter = owned.use(makePainter(gpu, { images, format, colorSpace, extent, layout, numbered }));
  const frames = makeInFlight(gpu, mode.isShared ? 1 : IN_FLIGHT), drawn = images.map(() => makeSemaphore(gpu));
  let isSeen = false;
  const shared = mode.isShared ? shareImage(stage, swapchain, images[0], frames[0]) : undefined;

  function show(number: number): void {
    const frame = frames[number % frames.length], { commands, acquired, done } = frame;
    device.vkWaitForFences([done], true, FOREVER);
    const image = shared ?? device.vkAcquireNextImageKHR(swapchain, FOREVER, acquired).imageIndex;
    device.vkResetFences([done]);
    commands.vkBeginCommandBuffer({});
    painter.record(commands, image, number);
    commands.vkEndCommandBuffer();
    const signals = isSeen ? [] : [drawn[image]];
    queue.vkQueueSubmit([submission(frame, shared === undefined, signals)], done);
    if (isSeen) return;
    queue.vkQueuePresentKHR({ pWaitSemaphores: signals, pSwapchains: [swapchain], pImageIndices: [image] });
    isSeen = mode.refreshes === true;
  }

  return {
    extent,
    swapchain,
    show: (number) => isUpToDate(() => show(number)),
    settle: () => void device.vkWaitForFences(frames.map(({ done }) => done), true, FOREVER),
    [Symbol.dispose]() {
      device.vkDeviceWaitIdle();
      owned.dispose();
    },
  };
}

function makeSwapchain({ gpu, surface, physicalDevice, mode }: Stage, options: PresentationOptions, extent: Extent) {
  const { minImageCount, currentTransform } = physicalDevice.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface);
  return gpu.device.vkCreateSwapchainKHR({
    surface,
    minImageCount: mode.isShared ? 1 : minImageCount + 1,
    imageFormat: options.format,
    imageColorSpace: options.colorSpace,
    imageExtent: extent,
    imageArrayLayers: 1,
    imageUsage: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    preTransform: currentTransform,
    compositeAlpha: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
    presentMode: mode.presentMode,
    clipped: true,
    oldSwapchain: options.instead?.swapchain,
  });
}

function submission({ commands, acquired }: InFlight, waits: boolean, pSignalSemaphores: VkSemaphore[]) {
  const wait = { pWaitSemaphores: [acquired], pWaitDstStageMask: [VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT] };
  return { ...waits ? wait : {}, pCommandBuffers: [commands], pSignalSemaphores };
}

/** A shared image is acquired once, brought into its layout, and both sides' from then on. */
function shareImage(stage: Stage, swapchain: VkSwapchainKHR, image: VkImage, frame: InFlight): number {
  const { device, queue } = stage.gpu, { commands, acquired, done } = frame;
  const stages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, acquired);
  commands.vkBeginCommandBuffer({});
  commands.vkCmdPipelineBarrier(stages, stages, 0, [], [], [{
    oldLayout: VK_IMAGE_LAYOUT_UNDEFINED,
    newLayout: VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 },
  }]);
  commands.vkEndCommandBuffer();
  device.vkResetFences([done]);
  queue.vkQueueSubmit([{
    pWaitSemaphores: [acquired],
    pWaitDstStageMask: [stages],
    pCommandBuffers: [commands],
  }], done);
  return imageIndex;
}

function isUpToDate(show: () => void): boolean {
  try {
    show();
    return true;
  } catch (error) {
    if (error instanceof VulkanError && error.code === VK_ERROR_OUT_OF_DATE_KHR) return false;
    throw error;
  }
}
