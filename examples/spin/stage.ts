import type { NativeWindow, Vulkan } from "@pumice/gfx";
import {
  VK_API_VERSION_1_1,
  type VkInstance,
  type VkInstanceCreateInfo,
  type VkPhysicalDevice,
  type VkSurfaceKHR,
} from "@pumice/gfx/vk";
import { type Gpu, openGpu } from "../draw/gpu.ts";
import { type Mode, type ModeName, MODES } from "./modes.ts";

/** A device that can present to a window. */
export interface Stage extends Disposable {
  /** The instance. */
  readonly instance: VkInstance;
  /** The device that draws. */
  readonly physicalDevice: VkPhysicalDevice;
  /** The device made of it. */
  readonly gpu: Gpu;
  /** The window, as Vulkan sees it. */
  readonly surface: VkSurfaceKHR;
  /** The way of frames to it. */
  readonly mode: Mode;
}

/** The options of an instance beside those of a window. */
export interface StageOptions {
  /** The present mode. Default `"fifo"`. */
  readonly mode?: ModeName;
  /** More instance extensions. */
  readonly extensions?: readonly string[];
  /** Structs for the creation of the instance. */
  readonly pNext?: VkInstanceCreateInfo["pNext"];
  /** Called with the instance as soon as the instance exists. */
  readonly onInstance?: (instance: VkInstance) => void;
}

/** The window has not got the present mode that was asked for, as where a driver shares no images. */
export class ModeError extends TypeError {}

/** The last one is for shared presentation, as is Vulkan 1.1. */
const EXTENSIONS = ["VK_KHR_surface", "VK_KHR_android_surface", "VK_KHR_get_surface_capabilities2"];

/** Opens the first physical device for a window. Throws a {@linkcode ModeError} when its surface has not got the mode. */
export function openStage(vulkan: Vulkan, window: NativeWindow, options: StageOptions = {}): Stage {
  const { mode: name = "fifo", extensions = [], pNext, onInstance } = options, mode = MODES[name];
  const owned = new DisposableStack();
  try {
    const instance = owned.use(vulkan.vkCreateInstance({
      pApplicationInfo: { pApplicationName: "Pumice window", apiVersion: VK_API_VERSION_1_1 },
      ppEnabledExtensionNames: [...EXTENSIONS, ...extensions],
      pNext,
    }));
    onInstance?.(instance);
    const [physicalDevice] = instance.vkEnumeratePhysicalDevices();
    const surface = instance.vkCreateAndroidSurfaceKHR({ window: window.address as never });
    owned.defer(() => instance.vkDestroySurfaceKHR(surface));
    checkMode(physicalDevice, surface, name);
    const ppEnabledExtensionNames = ["VK_KHR_swapchain", ...mode.extensions];
    const gpu = openGpu(physicalDevice, { ppEnabledExtensionNames, pNext: mode.features });
    owned.use(gpu.owned);
    return { instance, physicalDevice, gpu, surface, mode, [Symbol.dispose]: () => owned.dispose() };
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

function checkMode(physicalDevice: VkPhysicalDevice, surface: VkSurfaceKHR, name: ModeName): void {
  const offered = physicalDevice.vkGetPhysicalDeviceSurfacePresentModesKHR(surface);
  if (offered.includes(MODES[name].presentMode)) return;
  const names = Object.entries(MODES).filter(([, { presentMode }]) => offered.includes(presentMode));
  throw new ModeError(
    `Cannot present in mode ${name}: on this driver the window has ${names.map(([each]) => each).join(", ")}`,
  );
}
