/** A command that Android's driver level answers for itself, or guards. */
export interface Hook {
  /** The command. */
  readonly name: string;
  /** What it is asked of. */
  readonly level: "global" | "instance" | "device";
  /** The core version or extension that must be enabled for it. */
  readonly extension: string;
  /** Whether vkGetInstanceProcAddr gives a guard, which does nothing on devices that lack the extension. */
  readonly checked: boolean;
  /** Whether it exists only together with a window system. */
  readonly windowSystem: boolean;
}

/** The extension between the window system and the driver. No application ever sees it. */
export const NATIVE_BUFFER = "VK_ANDROID_native_buffer";

/** One line a group: level, `!` for checked, `*` for the window system's, the extension, then the commands. */
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

/** All 57 hooks of Android's driver level. */
export const HOOKS: readonly Hook[] = GROUPS.trim().split("\n").flatMap((line) => {
  const [how, extension, ...names] = line.split(" ");
  const level = how.replace(/[!*]/g, "") as Hook["level"];
  return names.map((name) => ({
    name,
    level,
    extension,
    checked: how.includes("!"),
    windowSystem: how.includes("*"),
  }));
});

/** The queries of Vulkan 1.1 about a physical device that an older driver may have by their KHR names alone. */
export const QUERIES: readonly string[] = HOOKS.filter(({ name }) => /^vkGetPhysicalDevice.*(2|External.*)$/.test(name))
  .filter(({ extension }) => extension === "VK_VERSION_1_1").map(({ name }) => name);
