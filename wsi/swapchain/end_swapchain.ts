import { NativeFence } from "../fence/native_fence.ts";
import type { Below, WindowSystem } from "./environment.ts";
import type { Swapchain, SwapchainImage } from "./swapchain.ts";

/** Returns an image's buffer to the window unused, if the swapchain has the buffer. */
export function cancelImage({ surface }: Swapchain, image: SwapchainImage): void {
  if (!image.dequeued || !image.buffer) return;
  const fence = image.dequeueFence ?? NativeFence.signaled();
  image.dequeueFence = undefined;
  image.dequeued = false;
  if (surface) surface.window.cancelBuffer(image.buffer, fence);
  else fence.close();
}

/** Destroys an image. The image's place in the list stays, for the indices of the other images. */
function destroyImage(context: Below, { device: { handle } }: Swapchain, image: SwapchainImage): void {
  image.dequeueFence?.close();
  image.releaseFence?.close();
  image.dequeueFence = image.releaseFence = undefined;
  if (image.image !== 0n) context.below(handle).vkDestroyImage(handle, image.image, 0n);
  image.image = 0n;
  image.buffer = undefined;
  image.dequeued = false;
}

/** Destroys all images, after their last use. */
export function destroyImages(context: Below, swapchain: Swapchain): void {
  for (const image of swapchain.images) {
    if (swapchain.isCurrent) cancelImage(swapchain, image);
    image.releaseFence?.wait();
    destroyImage(context, swapchain, image);
  }
}

/**
 * Retires a swapchain, which its surface then forgets. Images that are neither acquired nor in use are destroyed now,
 * the others with the swapchain.
 */
export function orphan(context: Below, swapchain: Swapchain): void {
  const { surface } = swapchain;
  if (!surface || surface.swapchain !== swapchain.handle) return;
  for (const image of swapchain.images) {
    if (!image.dequeued && (image.releaseFence?.poll() ?? true)) destroyImage(context, swapchain, image);
  }
  surface.swapchain = 0n;
}

/** Destroys an image of a retired swapchain that was returned later, after the image's last use. */
export function destroyRetired(context: Below, swapchain: Swapchain, image: SwapchainImage): void {
  image.releaseFence?.wait();
  destroyImage(context, swapchain, image);
}

/** Destroys the swapchains that an application leaves behind with their device. */
export function closeSwapchains(system: WindowSystem, context: Below, device: bigint): void {
  for (const swapchain of system.swapchains.all()) {
    if (swapchain.device.handle === device) destroySwapchain(system, context, swapchain);
  }
}

/** vkDestroySwapchainKHR of the window system. Buffers of the swapchain go back to the window unused. */
export function destroySwapchain(system: WindowSystem, context: Below, swapchain: Swapchain): void {
  const { surface } = swapchain;
  if (surface && swapchain.isCurrent) swapchain.history.disable(surface.window);
  destroyImages(context, swapchain);
  if (surface && swapchain.isCurrent) surface.swapchain = 0n;
  system.swapchains.remove(swapchain.handle);
}
