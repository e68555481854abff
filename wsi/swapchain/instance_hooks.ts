import { peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { nextOf } from "../../loader/driver/structs/create_info.ts";
import { readCString } from "../../ffi/cstring.ts";
import { writeExtensionList } from "../../loader/driver/interface/extension_list.ts";
import type { Layer } from "../../loader/layer.ts";
import { extensionsBelow, factsOf } from "./device_facts.ts";
import type { Parts, WindowSystem } from "./environment.ts";
import { patchFeatures, shownExtensions } from "./extensions.ts";
import { VK } from "./results.ts";
import {
  answerCapabilities,
  answerCapabilities2,
  answerFormats,
  answerFormats2,
  answerPresentModes,
  answerRectangles,
  type SurfaceQuery,
} from "./surface_queries.ts";
import { VkAndroidSurfaceCreateInfoKHR, VkPhysicalDeviceSurfaceInfo2KHR } from "../../loader/gen/native_gen.ts";
import { WINDOW_API } from "../android_values.ts";
import type { Window } from "../contract/window.ts";
import type { Surface } from "./swapchain.ts";

/** The hooks of the commands of instances and physical devices. Surfaces of the driver's own pass through. */
export function instanceHooks(parts: Parts): NonNullable<Layer["commands"]> {
  const { system } = parts;
  /** The query of a surface, if the window system answers it: for one of its own surfaces, or for none. */
  const queryOf = (gpu: bigint, handle: bigint): SurfaceQuery | undefined => {
    const surface = system.surfaces.get(handle);
    if (!surface && handle !== 0n) return undefined;
    return { system, context: parts.context, instance: parts.instance(gpu), gpu, surface };
  };
  /** The device extensions that applications see, or a negative VkResult. */
  const shownOf = (gpu: bigint) => {
    const below = extensionsBelow(parts.context, gpu);
    if (typeof below === "number") return below;
    return shownExtensions(system, below, factsOf(parts.context, parts.instance(gpu), gpu, system));
  };
  const features2 = (next: (gpu: bigint, features: bigint) => void, gpu: bigint, features: bigint) => {
    next(gpu, features);
    if (nextOf(features) === 0n) return;
    const shown = shownOf(gpu);
    if (typeof shown !== "number") patchFeatures(features, new Set(shown.map(({ extensionName }) => extensionName)));
  };
  return {
    vkCreateAndroidSurfaceKHR: (_next, instance, info, _allocator, out) =>
      createSurface(system, instance, peek64(info + VkAndroidSurfaceCreateInfoKHR.window), out),
    vkCreateHeadlessSurfaceEXT(next, instance, info, allocator, out) {
      if (system.proxiedWindow !== 0n) return createSurface(system, instance, system.proxiedWindow, out);
      return parts.instance(instance).has("vkCreateHeadlessSurfaceEXT")
        ? next(instance, info, allocator, out)
        : VK.EXTENSION_NOT_PRESENT;
    },
    vkDestroySurfaceKHR(next, instance, handle, allocator) {
      const surface = system.surfaces.get(handle);
      if (surface) destroySurface(system, surface);
      else if (handle !== 0n) next(instance, handle, allocator);
    },
    vkGetPhysicalDeviceSurfaceSupportKHR(next, gpu, family, surface, out) {
      if (!system.surfaces.get(surface)) return next(gpu, family, surface, out);
      poke32(out, 1);
      return 0;
    },
    vkGetPhysicalDeviceSurfaceCapabilitiesKHR(next, gpu, surface, out) {
      const query = queryOf(gpu, surface);
      return query ? answerCapabilities(query, out) : next(gpu, surface, out);
    },
    vkGetPhysicalDeviceSurfaceCapabilities2KHR(next, gpu, info, out) {
      const query = queryOf(gpu, peek64(info + VkPhysicalDeviceSurfaceInfo2KHR.surface));
      return query ? answerCapabilities2(query, info, out) : next(gpu, info, out);
    },
    vkGetPhysicalDeviceSurfaceFormatsKHR(next, gpu, surface, count, out) {
      const query = queryOf(gpu, surface);
      return query ? answerFormats(query, count, out) : next(gpu, surface, count, out);
    },
    vkGetPhysicalDeviceSurfaceFormats2KHR(next, gpu, info, count, out) {
      const query = queryOf(gpu, peek64(info + VkPhysicalDeviceSurfaceInfo2KHR.surface));
      return query ? answerFormats2(query, count, out) : next(gpu, info, count, out);
    },
    vkGetPhysicalDeviceSurfacePresentModesKHR(next, gpu, surface, count, out) {
      const query = queryOf(gpu, surface);
      return query ? answerPresentModes(query, count, out) : next(gpu, surface, count, out);
    },
    vkGetPhysicalDevicePresentRectanglesKHR(next, gpu, surface, count, out) {
      const query = queryOf(gpu, surface);
      return query ? answerRectangles(query, count, out) : next(gpu, surface, count, out);
    },
    vkGetPhysicalDeviceFeatures2: features2,
    vkGetPhysicalDeviceFeatures2KHR: features2,
    vkEnumerateDeviceExtensionProperties(next, gpu, layer, count, out) {
      if (readCString(layer) !== "") return next(gpu, layer, count, out);
      const shown = shownOf(gpu);
      return typeof shown === "number" ? shown : writeExtensionList(shown, count, out);
    },
  };
}

/**
 * vkCreateAndroidSurfaceKHR for the window at an address: connects to the window as its producer. Throws a `TypeError`
 * for an address without a window.
 */
function createSurface(
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
function destroySurface(system: WindowSystem, surface: Surface): void {
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
