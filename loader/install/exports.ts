import { allExtensions, type Extension } from "../command/registry/extension.ts";
import { findCommand } from "../command/registry/table.ts";
import { type AndroidRelease, NEWEST_RELEASE } from "../driver/android/options.ts";

/**
 * Commands that a Linux loader exports beside the commands of every core
 * version: those of the window system extensions by KHR and EXT that were there
 * when `libvulkan.so.1` first came. Later extensions of that kind are reached
 * only through vkGetInstanceProcAddr.
 */
const EXPORTED_EXTENSIONS: readonly string[] = [
  "VK_KHR_surface",
  "VK_KHR_swapchain",
  "VK_KHR_display",
  "VK_KHR_display_swapchain",
  "VK_KHR_xlib_surface",
  "VK_KHR_xcb_surface",
  "VK_KHR_wayland_surface",
  "VK_KHR_get_surface_capabilities2",
  "VK_KHR_get_display_properties2",
  "VK_EXT_headless_surface",
];

/**
 * Commands that Android's `libvulkan.so` exports beside core: the extensions
 * that apps link, and one command without the rest of its extension.
 */
const ANDROID_EXTENSIONS: readonly string[] = [
  "VK_KHR_surface",
  "VK_KHR_swapchain",
  "VK_KHR_android_surface",
  "VK_ANDROID_external_memory_android_hardware_buffer",
];
const ANDROID_ALONE = "vkGetImageSubresourceLayout2EXT";
/** The newest core version that a release exports. */
const NEWEST_CORE: Readonly<Record<AndroidRelease, number>> = { 14: 3, 15: 3, 16: 4, 17: 4 };

/**
 * Returns every name that Linux's `libvulkan.so.1` exports: the core commands
 * up to Vulkan 1.4 and those above, 269 in total.
 */
export function linuxExports(): string[] {
  return commandsOf(({ name, kind }) => kind === "core" || EXPORTED_EXTENSIONS.includes(name));
}

/** Returns every name that Android's `libvulkan.so` exports in a release. */
export function androidExports(release: AndroidRelease = NEWEST_RELEASE): string[] {
  const core = Array.from({ length: NEWEST_CORE[release] + 1 }, (_, minor) => `VK_VERSION_1_${minor}`);
  const exported = [...core, ...ANDROID_EXTENSIONS];
  return [...commandsOf(({ name }) => exported.includes(name)), ANDROID_ALONE];
}

/** The part of a loader that native code sees. */
export interface LoaderSurface {
  /** The names that the library exports. */
  readonly exported: readonly string[];
  /**
   * The names for which vkGetInstanceProcAddr has an answer with every
   * instance, even if its driver lacks the command.
   */
  readonly always: ReadonlySet<string>;
  /** Whether a missing command returns an error. If not, it returns success. */
  readonly absentFails: boolean;
}

/**
 * The instance-level commands that Android's loader intercepts. With its
 * exports of device commands there are 205 in releases up to 15.
 */
const ANDROID_INTERCEPTED: readonly string[] = [
  "vkCreateDevice",
  "vkDestroyInstance",
  "vkEnumerateDeviceExtensionProperties",
  "vkEnumerateDeviceLayerProperties",
  "vkGetInstanceProcAddr",
];

let ofLinux: LoaderSurface | undefined;
const ofAndroid = new Map<AndroidRelease, LoaderSurface>();

/** Returns what native code sees of a loader on Linux. Always the same object. */
export function linuxSurface(): LoaderSurface {
  return ofLinux ??= {
    exported: linuxExports(),
    always: new Set(commandsOf(({ kind }) => kind === "core")),
    absentFails: true,
  };
}

/** Returns what native code sees of Android's loader in a release. Always the same object for a release. */
export function androidSurface(release: AndroidRelease = NEWEST_RELEASE): LoaderSurface {
  let surface = ofAndroid.get(release);
  if (!surface) ofAndroid.set(release, surface = makeAndroidSurface(release));
  return surface;
}

function makeAndroidSurface(release: AndroidRelease): LoaderSurface {
  const exported = androidExports(release);
  const ofDevices = exported.filter((name) => name !== ANDROID_ALONE && findCommand(name)!.level === "device");
  return { exported, always: new Set([...ofDevices, ...ANDROID_INTERCEPTED]), absentFails: false };
}

function commandsOf(exported: (extension: Extension) => boolean): string[] {
  return [...new Set(allExtensions().filter(exported).flatMap(({ commands }) => commands))];
}
