import { NativeFence } from "../fence/native_fence.ts";
import type { Below, WindowSystem } from "./environment.ts";
import type { Swapchain, SwapchainImage } from "./swapchain.ts";

/** Gives an image's buffer back to the window unused, if the swapchain has it. */
export function cancelImage({ surface }: Swapchain, image: SwapchainImage): void {
  if (!image.dequeued || !image.buffer) return;
  const fence = image.dequeueFence ?? NativeFence.signaled();
  image.dequeueFence = undefined;
  image.dequeued = false;
  if (surface) surface.window.cancelBuffer(image.buffer, fence);
  else fence.close();
}

/** Destroys an image: nobody may use it any more. Its place among the images stays, for the indices of the others. */
function destroyImage(context: Below, { device: { handle } }: Swapchain, image: SwapchainImage): void {
  image.dequeueFence?.close();
  image.releaseFence?.close();
  image.dequeueFence = image.releaseFence = undefined;
  if (image.image !== 0n) context.below(handle).vkDestroyImage(handle, image.image, 0n);
  image.image = 0n;
  image.buffer = undefined;
  image.dequeued = false;
}

/** Destroys all images, after what they were last used for. */
export function destroyImages(context: Below, swapchain: Swapchain): void {
  for (const image of swapchain.images) {
    if (swapchain.isCurrent) cancelImage(swapchain, image);
    image.releaseFence?.wait();
    destroyImage(context, swapchain, image);
  }
}

/**
 * Retires a swapchain: the surface forgets it. What the application has not
 * acquired and nobody uses any more is destroyed now, the rest with it.
 */
export function orphan(context: Below, swapchain: Swapchain): void {
  const { surface } = swapchain;
  if (!surface || surface.swapchain !== swapchain.handle) return;
  for (const image of swapchain.images) {
    if (!image.dequeued && (image.releaseFence?.poll() ?? true)) destroyImage(context, swapchain, image);
  }
  surface.swapchain = 0n;
}

/** An image of a retired swapchain that was given back after all: destroyed, once its last use is over. */
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

/** vkDestroySwapchainKHR of one of ours: buffers that it has go back to the window unused. */
export function destroySwapchain(system: WindowSystem, context: Below, swapchain: Swapchain): void {
  const { surface } = swapchain;
  if (surface && swapchain.isCurrent) swapchain.history.disable(surface.window);
  destroyImages(context, swapchain);
  if (surface && swapchain.isCurrent) surface.swapchain = 0n;
  system.swapchains.remove(swapchain.handle);
}
