import type {
  VkBuffer,
  VkDevice,
  VkImage,
  VkInstance,
  VkPhysicalDevice,
  VkSurfaceKHR,
} from "../../../../../loader/types.ts";
import { record } from "../../../record.ts";
import { swapRedAndBlue, type XWindow } from "./x_window.ts";

const VK_FORMAT_B8G8R8A8_UNORM = 44, IMMEDIATE = 0, UNDEFINED = 0, TRANSFER_DST = 7, PRESENT_SRC = 1000001002;
const USAGE = 0x12, OPAQUE = 1, SECOND = 10n ** 9n;
const COLOR = { aspectMask: 1, levelCount: 1, layerCount: 1 }, NO_FAMILY = 0xffffffff;

/** A size in pixels. */
export interface Size {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/**
 * A physical device whose devices can present, for code that makes a device
 * without extensions; and the device that it made last.
 */
export function presenting(gpu: VkPhysicalDevice): { gpu: VkPhysicalDevice; device(): VkDevice } {
  let device: VkDevice;
  const able = {
    vkGetPhysicalDeviceQueueFamilyProperties: () => gpu.vkGetPhysicalDeviceQueueFamilyProperties(),
    vkGetPhysicalDeviceMemoryProperties: () => gpu.vkGetPhysicalDeviceMemoryProperties(),
    vkCreateDevice: (info: Parameters<VkPhysicalDevice["vkCreateDevice"]>[0]) =>
      device = gpu.vkCreateDevice({ ...info, ppEnabledExtensionNames: ["VK_KHR_swapchain"] }),
  };
  return { gpu: able as unknown as VkPhysicalDevice, device: () => device };
}

/** Shows pictures in a window, one after the other, as a swapchain of a device. */
export class Presenter implements Disposable {
  readonly #owned = new DisposableStack();
  readonly #device: VkDevice;
  readonly #size: Size;
  readonly #staging: { buffer: VkBuffer; bytes: Uint8Array };
  readonly #show: (imageOf: (image: VkImage) => void) => void;

  /** Makes surface and swapchain. */
  constructor(instance: VkInstance, gpu: VkPhysicalDevice, device: VkDevice, window: XWindow, size: Size) {
    this.#device = device;
    this.#size = size;
    const surface = instance.vkCreateXlibSurfaceKHR({ dpy: window.display, window: window.window });
    this.#owned.defer(() => instance.vkDestroySurfaceKHR(surface));
    if (!gpu.vkGetPhysicalDeviceSurfaceSupportKHR(0, surface)) throw new Error("queue family 0 cannot present");
    this.#staging = this.#makeStaging(gpu);
    this.#show = this.#makeSwapchain(gpu, surface);
  }

  /** Shows a picture: RGBA, rows from the top. */
  present(pixels: Uint8Array): void {
    this.#staging.bytes.set(swapRedAndBlue([pixels]));
    this.#show((image) =>
      record(this.#device, (commands) => {
        const barrier = (oldLayout: number, newLayout: number, srcAccessMask: number, dstAccessMask: number) => ({
          ...{ image, subresourceRange: COLOR, srcQueueFamilyIndex: NO_FAMILY, dstQueueFamilyIndex: NO_FAMILY },
          ...{ oldLayout, newLayout, srcAccessMask, dstAccessMask },
        });
        const imageExtent = { ...this.#size, depth: 1 }, imageSubresource = { aspectMask: 1, layerCount: 1 };
        commands.vkCmdPipelineBarrier(1, 0x1000, 0, null, null, [barrier(UNDEFINED, TRANSFER_DST, 0, 0x1000)]);
        commands.vkCmdCopyBufferToImage(this.#staging.buffer, image, TRANSFER_DST, [{ imageSubresource, imageExtent }]);
        commands.vkCmdPipelineBarrier(0x1000, 0x2000, 0, null, null, [barrier(TRANSFER_DST, PRESENT_SRC, 0x1000, 0)]);
      })
    );
  }

  /** Destroys what it made; the window keeps the last picture. */
  [Symbol.dispose](): void {
    this.#device.vkDeviceWaitIdle();
    this.#owned.dispose();
  }

  #makeStaging(gpu: VkPhysicalDevice) {
    const device = this.#device, bytes = 4 * this.#size.width * this.#size.height;
    const buffer = device.vkCreateBuffer({ size: BigInt(bytes), usage: 1 });
    const { size, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
    const memoryTypeIndex = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes!.findIndex((
      { propertyFlags },
      index,
    ) => (memoryTypeBits! >>> index & 1) === 1 && (propertyFlags! & 6) === 6);
    const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
    device.vkBindBufferMemory(buffer, memory, 0n);
    const address = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, size!))!;
    this.#owned.defer(() => device.vkFreeMemory(memory));
    this.#owned.defer(() => device.vkDestroyBuffer(buffer));
    return { buffer, bytes: new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, bytes)) };
  }

  #makeSwapchain(gpu: VkPhysicalDevice, surface: VkSurfaceKHR) {
    const device = this.#device, { minImageCount } = gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface);
    const swapchain = device.vkCreateSwapchainKHR({
      surface,
      minImageCount,
      imageFormat: VK_FORMAT_B8G8R8A8_UNORM,
      imageExtent: { ...this.#size },
      imageArrayLayers: 1,
      imageUsage: USAGE,
      preTransform: 1,
      compositeAlpha: OPAQUE,
      presentMode: IMMEDIATE,
      clipped: true,
    });
    const images = device.vkGetSwapchainImagesKHR(swapchain), fence = device.vkCreateFence({});
    const queue = device.vkGetDeviceQueue(0, 0);
    this.#owned.defer(() => device.vkDestroySwapchainKHR(swapchain));
    this.#owned.defer(() => device.vkDestroyFence(fence));
    return (fill: (image: VkImage) => void) => {
      const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, SECOND, null, fence);
      device.vkWaitForFences([fence], true, SECOND);
      device.vkResetFences([fence]);
      fill(images[imageIndex]);
      queue.vkQueuePresentKHR({ pSwapchains: [swapchain], pImageIndices: [imageIndex] });
    };
  }
}
