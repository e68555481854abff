/**
 * What hand-written code that reads and writes native memory needs of the
 * registry: add a name here, and run `deno task generate`.
 *
 * @module
 */

/** Values of enums and constants. */
export const NATIVE_VALUES: readonly string[] = [
  "VK_SUCCESS",
  "VK_NOT_READY",
  "VK_TIMEOUT",
  "VK_INCOMPLETE",
  "VK_ERROR_OUT_OF_HOST_MEMORY",
  "VK_ERROR_INITIALIZATION_FAILED",
  "VK_ERROR_DEVICE_LOST",
  "VK_ERROR_MEMORY_MAP_FAILED",
  "VK_ERROR_LAYER_NOT_PRESENT",
  "VK_ERROR_EXTENSION_NOT_PRESENT",
  "VK_ERROR_FEATURE_NOT_PRESENT",
  "VK_ERROR_INCOMPATIBLE_DRIVER",
  "VK_ERROR_FORMAT_NOT_SUPPORTED",
  "VK_FALSE",
  "VK_TRUE",
  "VK_FORMAT_R16G16B16A16_SFLOAT",
  "VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO",
];

/** Structs, of whose members the places are needed. */
export const NATIVE_STRUCTS: readonly string[] = [
  "VkBaseOutStructure",
  "VkDeviceQueueInfo2",
  "VkPhysicalDevicePresentationPropertiesANDROID",
  "VkTimelineSemaphoreSubmitInfo",
  "VkPresentInfoKHR",
  "VkAcquireNextImageInfoKHR",
  "VkPresentWait2InfoKHR",
  "VkPastPresentationTimingInfoEXT",
  "VkPresentStageTimeEXT",
  "VkPresentTimingInfoEXT",
  "VkPresentRegionKHR",
  "VkPresentTimeGOOGLE",
  "VkRectLayerKHR",
  "VkOffset2D",
  "VkExtent2D",
  "VkSurfacePresentModeKHR",
  "VkSurfacePresentModeCompatibilityKHR",
  "VkSwapchainTimeDomainPropertiesEXT",
  "VkPhysicalDeviceImageCompressionControlFeaturesEXT",
];
