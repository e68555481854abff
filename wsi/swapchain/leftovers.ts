import type { Below, WindowSystem } from "./environment.ts";
import { destroyImages } from "./orphan.ts";
import { destroySurface } from "./surfaces.ts";
import type { Swapchain } from "./swapchain.ts";

/** Destroys the surfaces that an application leaves behind with their instance. */
export function closeSurfaces(system: WindowSystem, instance: bigint): void {
  for (const surface of system.surfaces.all()) if (surface.instance === instance) destroySurface(system, surface);
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
