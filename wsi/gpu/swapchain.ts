import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import { VulkanError } from "../../loader/error.ts";
import {
  VK_ERROR_OUT_OF_DATE_KHR,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_NOT_READY,
  VK_SUCCESS,
  VK_TIMEOUT,
} from "../../loader/gen/enums_core_gen.js";
import {
  VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
  VK_PRESENT_MODE_FIFO_KHR,
  VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
} from "../../loader/gen/native_gen.ts";
import type {
  VkFormat,
  VkPresentModeKHR,
  VkSurfaceCapabilitiesKHR,
  VkSurfaceFormatKHR,
  VkSurfaceKHR,
  VkSwapchainKHR,
} from "../../loader/types.ts";
import type { Window } from "../contract/window.ts";
import { WsiError } from "../error.ts";
import { type Bench, submit } from "./bench.ts";
import { changeLayout, type GpuImage } from "./image.ts";

/** Settings of a {@linkcode GpuSwapchain}. */
export interface GpuSwapchainOptions {
  /** Default VK_FORMAT_R8G8B8A8_UNORM, otherwise the window's first format. */
  readonly imageFormat?: VkFormat;
  /** Default VK_PRESENT_MODE_FIFO_KHR. */
  readonly presentMode?: VkPresentModeKHR;
  /** VK_IMAGE_USAGE_… bits. Default: the images can be drawn to, sampled, and copied both ways. */
  readonly imageUsage?: number;
  /** The least number of images. Default: the least that the window takes. */
  readonly minImageCount?: number;
  /** Milliseconds that `acquire()` waits for an image. Default 10000. */
  readonly timeout?: number;
}

/** The options of a swapchain and their valid values. */
export const SWAPCHAIN_RULES: OptionRules<GpuSwapchainOptions> = {
  imageFormat: number,
  presentMode: number,
  imageUsage: number,
  minImageCount: number,
  timeout: number,
};

const TIMEOUT = 10_000, SECOND = 1_000_000_000n;
const USAGE = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
  VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/**
 * The images of a window, one after another. The swapchain is made anew when the window has another size, so that each
 * image has the size that the window had when the image was acquired. Lives as long as the device of `openGpu()`.
 */
export interface GpuSwapchain {
  /** The swapchain of now, another one after a change of the window's size; `null` if it could not be made. */
  readonly handle: VkSwapchainKHR | null;
  /** The images of now. */
  readonly images: readonly GpuImage[];
  /**
   * Waits until an image can be drawn to. Events of the window and other work of this process have a turn meanwhile.
   * The contents of the image are undefined.
   *
   * @throws {WsiError} with code `"no-frame"` if no image came free in time, and `"closed"` after the device was closed.
   * @throws {TypeError} if the image before has not been presented.
   */
  acquire(): Promise<GpuImage>;
  /**
   * Shows the acquired image, whatever its layout, after all earlier work. Of a window whose size has just changed the
   * image may be lost.
   *
   * @throws {TypeError} if no image is acquired.
   */
  present(): void;
}

/** The swapchain of {@linkcode openGpu}. */
export class WindowSwapchain implements GpuSwapchain {
  readonly #bench: Bench;
  readonly #options: GpuSwapchainOptions;
  readonly #surface: VkSurfaceKHR;
  readonly #fence;
  /** The views and the swapchain of now. */
  #made = new DisposableStack();
  #handle: VkSwapchainKHR | null = null;
  #images: GpuImage[] = [];
  /** The image whose acquisition has begun, and the image that is drawn to. */
  #coming: GpuImage | undefined;
  #acquired: GpuImage | undefined;
  #isStale = true;
  #isClosed = false;

  /** Makes a surface and a swapchain, which `bench.owned` destroys. */
  constructor(bench: Bench, window: Window, options: GpuSwapchainOptions) {
    checkOptions("a swapchain", options, SWAPCHAIN_RULES);
    [this.#bench, this.#options] = [bench, options];
    const { instance, device, owned } = bench;
    this.#surface = instance.vkCreateAndroidSurfaceKHR({ window: window.address });
    owned.defer(() => instance.vkDestroySurfaceKHR(this.#surface));
    this.#fence = device.vkCreateFence({});
    owned.defer(() => device.vkDestroyFence(this.#fence));
    owned.defer(() => this.#end());
    this.#checkQueue();
    this.#remake(this.#capabilities());
  }

  /** See {@linkcode GpuSwapchain.handle}. */
  get handle(): VkSwapchainKHR | null {
    return this.#handle;
  }

  /** See {@linkcode GpuSwapchain.images}. */
  get images(): readonly GpuImage[] {
    return this.#images;
  }

  /** See {@linkcode GpuSwapchain.acquire}. */
  async acquire(): Promise<GpuImage> {
    if (this.#acquired) throw new TypeError("Cannot acquire an image: present() the image before first");
    const { timeout = TIMEOUT } = this.#options, end = performance.now() + timeout;
    do {
      await new Promise((resolve) => setTimeout(resolve));
      if (this.#isClosed) throw new WsiError("closed", "Cannot acquire an image: the device is closed");
      const image = this.#next();
      if (image) return this.#acquired = image;
    } while (performance.now() < end);
    throw new WsiError(
      "no-frame",
      `Cannot acquire an image: the window gave none for ${timeout} ms; its consumer holds all frames, or it has no size`,
    );
  }

  /** See {@linkcode GpuSwapchain.present}. */
  present(): void {
    const { queue } = this.#bench, image = this.#acquired, handle = this.#handle;
    if (!image || handle === null) throw new TypeError("Cannot present an image: acquire() one first");
    submit(this.#bench, (commands) => changeLayout(commands, image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR));
    this.#acquired = undefined;
    const presented = { pSwapchains: [handle], pImageIndices: [this.#images.indexOf(image)] };
    this.#orStale(() => queue.vkQueuePresentKHR(presented));
  }

  /** The next image, if it is free now. */
  #next(): GpuImage | undefined {
    const { device } = this.#bench;
    this.#coming ??= this.#begin();
    if (!this.#coming || device.vkGetFenceStatus(this.#fence) !== VK_SUCCESS) return undefined;
    device.vkResetFences([this.#fence]);
    const image = this.#coming;
    this.#coming = undefined;
    image.layout = VK_IMAGE_LAYOUT_UNDEFINED;
    return image;
  }

  /** Begins to acquire an image, of a new swapchain if the window has another size. */
  #begin(): GpuImage | undefined {
    const { device } = this.#bench, capabilities = this.#capabilities(), [image] = this.#images;
    const { width, height } = capabilities.currentExtent!;
    if (width === 0 || height === 0) return undefined;
    if (this.#isStale || image.width !== width || image.height !== height) this.#remake(capabilities);
    const began = this.#orStale(() => device.vkAcquireNextImageKHR(this.#handle!, 0n, null, this.#fence));
    const isNone = !began || began.result === VK_NOT_READY || began.result === VK_TIMEOUT;
    return isNone ? undefined : this.#images[began.imageIndex];
  }

  /** Calls a command of the swapchain; `undefined`, and a new swapchain the next time, if the swapchain is out of date. */
  #orStale<Result>(call: () => Result): Result | undefined {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof VulkanError && error.code === VK_ERROR_OUT_OF_DATE_KHR)) throw error;
      this.#isStale = true;
    }
  }

  #capabilities(): VkSurfaceCapabilitiesKHR {
    return this.#bench.physicalDevice.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(this.#surface);
  }

  #checkQueue(): void {
    const { physicalDevice, queueFamilyIndex, properties } = this.#bench;
    if (physicalDevice.vkGetPhysicalDeviceSurfaceSupportKHR(queueFamilyIndex, this.#surface)) return;
    throw new WsiError(
      "unsupported",
      `Cannot show frames: no queue of ${properties.deviceName} presents to the window`,
    );
  }

  /** Makes the swapchain anew. After an error there is none, until the next image is acquired. */
  #remake(capabilities: VkSurfaceCapabilitiesKHR): void {
    const { device } = this.#bench, oldSwapchain = this.#handle, imageExtent = capabilities.currentExtent!;
    device.vkDeviceWaitIdle();
    using _old = this.#made;
    [this.#made, this.#handle, this.#isStale] = [new DisposableStack(), null, true];
    const { format, colorSpace } = this.#format();
    const handle = device.vkCreateSwapchainKHR({
      surface: this.#surface,
      minImageCount: this.#imageCount(capabilities),
      imageFormat: format,
      imageColorSpace: colorSpace,
      imageExtent,
      imageArrayLayers: 1,
      imageUsage: this.#options.imageUsage ?? USAGE & capabilities.supportedUsageFlags!,
      preTransform: VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
      compositeAlpha: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR, // the only one of Android's surfaces
      presentMode: this.#presentMode(),
      clipped: true,
      oldSwapchain,
    });
    this.#made.defer(() => device.vkDestroySwapchainKHR(handle));
    this.#images = device.vkGetSwapchainImagesKHR(handle).map((image) => this.#drawable(image, format!, imageExtent));
    [this.#handle, this.#isStale] = [handle, false];
  }

  #drawable(
    image: GpuImage["image"],
    format: VkFormat,
    { width, height }: { width?: number; height?: number },
  ): GpuImage {
    const { device } = this.#bench, aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    const subresourceRange = { aspectMask, levelCount: 1, layerCount: 1 };
    const view = device.vkCreateImageView({ image, viewType: VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange });
    this.#made.defer(() => device.vkDestroyImageView(view));
    return { image, view, width: width!, height: height!, format, aspectMask, layout: VK_IMAGE_LAYOUT_UNDEFINED };
  }

  #format(): VkSurfaceFormatKHR {
    const { imageFormat: format } = this.#options,
      all = this.#bench.physicalDevice.vkGetPhysicalDeviceSurfaceFormatsKHR(this.#surface);
    const found = all.find((each) => each.format === (format ?? VK_FORMAT_R8G8B8A8_UNORM)) ??
      (format === undefined ? all[0] : undefined);
    if (found) return found;
    const formats = [...new Set(all.map((each) => each.format))].join(", ");
    throw new WsiError("bad-format", `Cannot show frames of format ${format}: the window takes the formats ${formats}`);
  }

  #presentMode(): VkPresentModeKHR {
    const { presentMode = VK_PRESENT_MODE_FIFO_KHR } = this.#options;
    const all = this.#bench.physicalDevice.vkGetPhysicalDeviceSurfacePresentModesKHR(this.#surface);
    if (all.includes(presentMode)) return presentMode;
    throw new WsiError("unsupported", `Cannot use the present mode ${presentMode}: the window has ${all.join(", ")}`);
  }

  #imageCount({ minImageCount, maxImageCount }: VkSurfaceCapabilitiesKHR): number {
    const least = minImageCount!,
      most = maxImageCount || Infinity,
      wanted = Math.max(least, this.#options.minImageCount ?? 0);
    if (wanted <= most) return wanted;
    throw new WsiError("too-many", `Cannot use ${wanted} images: the window takes ${least} to ${most}`);
  }

  #end(): void {
    const { device } = this.#bench;
    this.#isClosed = true;
    using _made = this.#made;
    try {
      if (this.#coming) device.vkWaitForFences([this.#fence], true, SECOND);
    } finally {
      device.vkDeviceWaitIdle();
    }
  }
}
