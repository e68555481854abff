import type { AndroidRelease } from "../../driver/android/options.ts";
import type { AndroidLevelOptions } from "./options.ts";

/** A command that Android's driver level answers itself, or guards. */
export interface Hook {
  /** The command's name. */
  readonly name: string;
  /** The object that the command is queried from. */
  readonly level: "global" | "instance" | "device";
  /** The core version or extension that must be enabled for the hook. */
  readonly extension: string;
  /** Whether vkGetInstanceProcAddr returns a guard, which does nothing on devices that lack the extension. */
  readonly checked: boolean;
  /** Whether the hook exists only with a window system. */
  readonly windowSystem: boolean;
  /** The release of Android that introduced the hook. */
  readonly from: number;
}

/** The extension between the window system and the driver. Applications never see it. */
export const NATIVE_BUFFER = "VK_ANDROID_native_buffer";

/** One line for each group: level, `!` for checked, `*` for the window system's, the extension, then the commands. */
const GROUPS = `
global VK_VERSION_1_0 vkCreateInstance vkEnumerateInstanceExtensionProperties
instance VK_VERSION_1_0 vkCreateDevice vkDestroyInstance vkEnumerateDeviceExtensionProperties vkEnumeratePhysicalDevices vkGetInstanceProcAddr
instance VK_VERSION_1_1 vkEnumeratePhysicalDeviceGroups vkGetPhysicalDeviceExternalBufferProperties vkGetPhysicalDeviceExternalFenceProperties vkGetPhysicalDeviceExternalSemaphoreProperties vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFormatProperties2 vkGetPhysicalDeviceImageFormatProperties2 vkGetPhysicalDeviceMemoryProperties2 vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceQueueFamilyProperties2 vkGetPhysicalDeviceSparseImageFormatProperties2
instance VK_EXT_debug_report vkCreateDebugReportCallbackEXT vkDestroyDebugReportCallbackEXT vkDebugReportMessageEXT
instance* VK_KHR_android_surface vkCreateAndroidSurfaceKHR
instance* VK_KHR_surface vkDestroySurfaceKHR vkGetPhysicalDeviceSurfaceCapabilitiesKHR vkGetPhysicalDeviceSurfaceFormatsKHR vkGetPhysicalDeviceSurfacePresentModesKHR vkGetPhysicalDeviceSurfaceSupportKHR
instance* VK_KHR_get_surface_capabilities2 vkGetPhysicalDeviceSurfaceCapabilities2KHR vkGetPhysicalDeviceSurfaceFormats2KHR
instance* VK_KHR_swapchain vkGetPhysicalDevicePresentRectanglesKHR
device VK_VERSION_1_0 vkAllocateCommandBuffers vkDestroyDevice vkGetDeviceProcAddr vkGetDeviceQueue vkQueueSubmit
device! VK_VERSION_1_1 vkBindImageMemory2 vkGetDeviceQueue2
device! VK_KHR_bind_memory2 vkBindImageMemory2KHR
device!* VK_KHR_swapchain vkCreateSwapchainKHR vkDestroySwapchainKHR vkGetSwapchainImagesKHR vkAcquireNextImageKHR vkAcquireNextImage2KHR vkQueuePresentKHR vkGetDeviceGroupPresentCapabilitiesKHR vkGetDeviceGroupSurfacePresentModesKHR
device!* VK_GOOGLE_display_timing vkGetPastPresentationTimingGOOGLE vkGetRefreshCycleDurationGOOGLE
device!* VK_EXT_hdr_metadata vkSetHdrMetadataEXT
device!* VK_KHR_shared_presentable_image vkGetSwapchainStatusKHR
device!* VK_EXT_swapchain_maintenance1 vkReleaseSwapchainImagesEXT
device VK_ANDROID_native_buffer vkGetSwapchainGrallocUsageANDROID vkGetSwapchainGrallocUsage2ANDROID vkGetSwapchainGrallocUsage3ANDROID vkGetSwapchainGrallocUsage4ANDROID vkAcquireImageANDROID vkQueueSignalReleaseImageANDROID`;

/** The release of the later groups, and the groups. */
const LATE_RELEASE = 17,
  LATE_GROUPS = `
device!* VK_KHR_swapchain_maintenance1 vkReleaseSwapchainImagesKHR
device!* VK_KHR_present_wait2 vkWaitForPresent2KHR
device!* VK_EXT_present_timing vkSetSwapchainPresentTimingQueueSizeEXT vkGetSwapchainTimingPropertiesEXT vkGetSwapchainTimeDomainPropertiesEXT vkGetPastPresentationTimingEXT`;

/** All hooks of Android's driver level: the 57 of every release, then those of later releases. */
export const HOOKS: readonly Hook[] = [...parse(GROUPS, 0), ...parse(LATE_GROUPS, LATE_RELEASE)];

/** Whether a hook exists: some need a window system, some a release. */
export function isActive({ windowSystem, from }: Hook, { options, release }: HookConditions): boolean {
  return release >= from && (!windowSystem || options.windowSystem !== undefined);
}

/** The conditions of hooks. */
export interface HookConditions {
  /** The release to follow. */
  readonly release: AndroidRelease;
  /** The options of the level. */
  readonly options: Pick<AndroidLevelOptions, "windowSystem">;
}

function parse(groups: string, from: number): Hook[] {
  return groups.trim().split("\n").flatMap((line) => {
    const [how, extension, ...names] = line.split(" ");
    const level = how.replace(/[!*]/g, "") as Hook["level"];
    const flags = { checked: how.includes("!"), windowSystem: how.includes("*") };
    return names.map((name) => ({ name, level, extension, from, ...flags }));
  });
}

/** The queries of Vulkan 1.1 about a physical device that an older driver may have only under their KHR names. */
export const QUERIES: readonly string[] = HOOKS.filter(({ name }) => /^vkGetPhysicalDevice.*(2|External.*)$/.test(name))
  .filter(({ extension }) => extension === "VK_VERSION_1_1").map(({ name }) => name);
