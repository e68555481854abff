/** The instance commands without which the loader-driver interface drops a driver. */
const REQUIRED = [
  "vkDestroyInstance",
  "vkEnumeratePhysicalDevices",
  "vkGetPhysicalDeviceFeatures",
  "vkGetPhysicalDeviceFormatProperties",
  "vkGetPhysicalDeviceImageFormatProperties",
  "vkGetPhysicalDeviceProperties",
  "vkGetPhysicalDeviceQueueFamilyProperties",
  "vkGetPhysicalDeviceMemoryProperties",
  "vkGetPhysicalDeviceSparseImageFormatProperties",
  "vkGetDeviceProcAddr",
  "vkCreateDevice",
  "vkEnumerateDeviceExtensionProperties",
];

/** The commands an ICD must answer for its instance and does not, by what `find` says; none is good. */
export function missingCommands(find: (name: string) => bigint): string[] {
  return REQUIRED.filter((name) => find(name) === 0n);
}
