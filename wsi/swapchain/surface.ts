import { poke64 } from "../../ffi/machine.ts";
import { WINDOW_API } from "../android_values.ts";
import type { Window } from "../contract/window.ts";
import type { WindowSystem } from "./environment.ts";
import { VK } from "./results.ts";
import type { Surface } from "./swapchain.ts";

/**
 * vkCreateAndroidSurfaceKHR for the window at an address: connects to the window as its producer. Throws a `TypeError`
 * for an address without a window.
 */
export function createSurface(
  system: WindowSystem,
  instance: bigint,
  address: bigint,
  out: bigint,
): number {
  const window = system.windowAt(address);
  if (!window) {
    throw new TypeError(
      `Cannot make a surface: 0x${address.toString(16)} is not a window; give the address of an open NativeWindow`,
    );
  }
  const consumerUsage = window.consumerUsage();
  if (typeof consumerUsage === "number") return VK.SURFACE_LOST;
  if (window.apiConnect(WINDOW_API.EGL) < 0) return VK.NATIVE_WINDOW_IN_USE;
  window.acquire();
  const made = { instance, window, consumerUsage, swapchain: 0n, used: false };
  poke64(out, system.surfaces.add((handle): Surface => ({ handle, ...made })).handle);
  return VK.SUCCESS;
}

/** vkDestroySurfaceKHR of the window system: disconnects from the window. Swapchains of the surface are retired. */
export function destroySurface(system: WindowSystem, surface: Surface): void {
  for (const swapchain of system.swapchains.all()) if (swapchain.surface === surface) swapchain.loseSurface();
  leave(surface.window);
  system.surfaces.remove(surface.handle);
}

/** Destroys the surfaces that an application leaves behind with their instance. */
export function closeSurfaces(system: WindowSystem, instance: bigint): void {
  for (const surface of system.surfaces.all()) if (surface.instance === instance) destroySurface(system, surface);
}

function leave(window: Window): void {
  window.apiDisconnect(WINDOW_API.EGL);
  window.release();
}
