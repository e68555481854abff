import { assert } from "@std/assert";
import { optionsOf } from "../../../ffi/check_options.ts";
import { androidWsi, type AndroidWsiOptions, WSI_RULES } from "../../../wsi/android_wsi.ts";
import { NativeWindow, type NativeWindowOptions } from "../../../wsi/window/native_window.ts";
import { loadVulkan, type Vulkan, type VulkanOptions } from "../../../loader/mod.ts";
import type {
  VkCommandBuffer,
  VkDevice,
  VkFence,
  VkImage,
  VkInstance,
  VkPhysicalDevice,
  VkQueue,
  VkSemaphore,
  VkSurfaceKHR,
  VkSwapchainCreateInfoKHR,
  VkSwapchainKHR,
} from "../../../loader/types.ts";
import { sharesImages } from "../soak/shares_images.ts";

export const MODES = {
  MAILBOX: 1,
  FIFO: 2,
  SHARED_DEMAND: 1000111000,
  SHARED_CONTINUOUS: 1000111001,
  FIFO_LATEST_READY: 1000361000,
} as const;
export const RGBA8 = 37, FOREVER = 2n ** 64n - 1n;
/** TRANSFER_DST and COLOR_ATTACHMENT. */
const USAGE = 0x12;
const TRANSFER_DST = 7, PRESENT_SRC = 1000001002, NO_FAMILY = 0xffffffff, SHARED_PRESENT = 1000111000;

/** The set-up of a stage. */
export interface StageOptions extends AndroidWsiOptions {
  readonly driver: string;
  /** Opened for it; or one that stays the caller's. */
  readonly window: NativeWindowOptions | NativeWindow;
  /** Native layers, by name: Android's surfaces pass them in headless proxy. */
  readonly layers?: readonly string[];
  readonly instanceExtensions?: readonly string[];
  readonly deviceExtensions?: readonly string[];
  readonly deviceNext?: readonly { readonly sType: number }[];
  readonly vulkan?: Partial<VulkanOptions>;
  /** Called with the instance before anything is made on it; what it returns is disposed of before the instance. */
  readonly onInstance?: (instance: VkInstance) => Disposable;
}

/** Everything up to a surface: a loader with Android's window system, a window, an instance, a device. */
export class Stage implements Disposable {
  readonly vulkan: Vulkan;
  readonly window: NativeWindow;
  readonly instance: VkInstance;
  readonly gpu: VkPhysicalDevice;
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly surface: VkSurfaceKHR;
  readonly #owned = new DisposableStack();
  #isLost = false;

  constructor(options: StageOptions) {
    const { driver, window } = options,
      owned = this.#owned,
      { bottomLayers, headlessProxy } = androidWsi(optionsOf(options, WSI_RULES));
    const layers = options.layers && [headlessProxy, ...options.layers];
    this.window = window instanceof NativeWindow ? window : owned.use(new NativeWindow(window));
    this.vulkan = owned.use(loadVulkan({ driver, layers, bottomLayers, ...options.vulkan }));
    this.instance = owned.use(this.vulkan.vkCreateInstance({
      pApplicationInfo: { apiVersion: 0x402000 },
      ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_android_surface", ...options.instanceExtensions ?? []],
    }));
    if (options.onInstance) owned.use(options.onInstance(this.instance));
    this.gpu = this.instance.vkEnumeratePhysicalDevices()[0];
    this.device = owned.use(this.gpu.vkCreateDevice({
      pNext: options.deviceNext as never,
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      ppEnabledExtensionNames: ["VK_KHR_swapchain", ...options.deviceExtensions ?? []],
    }));
    this.queue = this.device.vkGetDeviceQueue(0, 0);
    this.surface = this.instance.vkCreateAndroidSurfaceKHR({ window: this.window.address as never });
    owned.defer(() => this.loseSurface());
  }

  /** Destroys the surface, once. */
  loseSurface(): void {
    if (!this.#isLost) this.instance.vkDestroySurfaceKHR(this.surface);
    this.#isLost = true;
  }

  [Symbol.dispose](): void {
    this.device.vkDeviceWaitIdle();
    this.#owned.dispose();
  }
}

/** A swapchain that is cleared to a colour each frame. */
export class Presenter implements Disposable {
  readonly swapchain: VkSwapchainKHR;
  readonly images: VkImage[];
  readonly acquired: VkSemaphore;
  readonly drawn: VkSemaphore;
  readonly stage: Stage;
  readonly #fence: VkFence;
  readonly #pool;
  readonly #commands: VkCommandBuffer[];

  constructor(stage: Stage, info: Partial<VkSwapchainCreateInfoKHR> = {}) {
    const { device, surface, window } = this.stage = stage;
    this.swapchain = device.vkCreateSwapchainKHR(swapchainInfo(surface, window, info));
    this.images = device.vkGetSwapchainImagesKHR(this.swapchain);
    this.acquired = device.vkCreateSemaphore({});
    this.drawn = device.vkCreateSemaphore({});
    this.#fence = device.vkCreateFence({});
    this.#pool = device.vkCreateCommandPool({ flags: 2, queueFamilyIndex: 0 });
    this.#commands = device.vkAllocateCommandBuffers({
      commandPool: this.#pool,
      level: 0,
      commandBufferCount: this.images.length,
    });
  }

  /** Acquires, clears and presents one image; what acquiring and presenting returned. */
  frame(color: readonly [number, number, number, number], pNext: readonly { readonly sType: number }[] = []) {
    const { device } = this.stage;
    const { result, imageIndex } = device.vkAcquireNextImageKHR(this.swapchain, FOREVER, this.acquired);
    if (result !== 0) return { acquired: result, presented: undefined, imageIndex };
    this.draw(imageIndex, color, [this.acquired]);
    const presented = this.present(imageIndex, pNext);
    this.settle();
    return { acquired: result, presented, imageIndex };
  }

  /** Has an acquired image cleared after these semaphores, which signals {@linkcode drawn}. */
  draw(imageIndex: number, color: readonly [number, number, number, number], waits: VkSemaphore[] = []): void {
    const commands = this.#commands[imageIndex];
    recordClear(commands, this.images[imageIndex], color);
    this.stage.queue.vkQueueSubmit([{
      pWaitSemaphores: waits,
      pWaitDstStageMask: waits.map(() => 0x1000),
      pCommandBuffers: [commands],
      pSignalSemaphores: [this.drawn],
    }], this.#fence);
  }

  /** Waits until what was drawn is. */
  settle(): void {
    const { device } = this.stage;
    device.vkWaitForFences([this.#fence], true, FOREVER);
    device.vkResetFences([this.#fence]);
  }

  present(imageIndex: number, pNext: readonly { readonly sType: number }[] = []): number {
    return this.stage.queue.vkQueuePresentKHR({
      pNext: pNext as never,
      pWaitSemaphores: [this.drawn],
      pSwapchains: [this.swapchain],
      pImageIndices: [imageIndex],
    }) as number;
  }

  [Symbol.dispose](): void {
    const { device } = this.stage;
    device.vkDeviceWaitIdle();
    device.vkDestroyCommandPool(this.#pool);
    device.vkDestroyFence(this.#fence);
    device.vkDestroySemaphore(this.acquired);
    device.vkDestroySemaphore(this.drawn);
    device.vkDestroySwapchainKHR(this.swapchain);
  }
}

export function swapchainInfo(
  surface: VkSurfaceKHR,
  window: NativeWindow,
  info: Partial<VkSwapchainCreateInfoKHR> = {},
): VkSwapchainCreateInfoKHR {
  const width = window.query("DEFAULT_WIDTH"), height = window.query("DEFAULT_HEIGHT");
  return {
    surface,
    minImageCount: 3,
    imageFormat: RGBA8 as never,
    imageExtent: { width, height },
    imageArrayLayers: 1,
    imageUsage: USAGE as never,
    preTransform: 1 as never,
    compositeAlpha: 8 as never,
    presentMode: MODES.FIFO as never,
    clipped: true,
    ...info,
  };
}

export function recordClear(
  commands: VkCommandBuffer,
  image: VkImage,
  float32: readonly [number, number, number, number],
  layout: number = PRESENT_SRC,
): void {
  const range = { aspectMask: 1, levelCount: 1, layerCount: 1 };
  const barrier = {
    ...{ image, subresourceRange: range, srcQueueFamilyIndex: NO_FAMILY, dstQueueFamilyIndex: NO_FAMILY },
  };
  const before = layout === SHARED_PRESENT ? SHARED_PRESENT : 0;
  commands.vkBeginCommandBuffer({});
  commands.vkCmdPipelineBarrier(0x1000, 0x1000, 0, null, null, [
    { ...barrier, srcAccessMask: 0, dstAccessMask: 0x1000, oldLayout: before, newLayout: TRANSFER_DST },
  ]);
  commands.vkCmdClearColorImage(image, TRANSFER_DST, { float32: [...float32] }, [range]);
  commands.vkCmdPipelineBarrier(0x1000, 0x2000, 0, null, null, [
    { ...barrier, srcAccessMask: 0x1000, dstAccessMask: 0, oldLayout: TRANSFER_DST, newLayout: layout },
  ]);
  commands.vkEndCommandBuffer();
}

/** Runs a test of shared images. A driver that lets none be shared must not list their extension. */
export function withShared(driver: string, test: () => void): void {
  if (sharesImages(driver)) return test();
  using stage = new Stage({ driver, window: { width: 8, height: 8 } });
  const listed = stage.gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
  assert(!listed.includes("VK_KHR_shared_presentable_image"), listed.join());
}
