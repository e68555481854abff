/** Name prefixes of commands that create, change, run, wait for or destroy something. */
const DOES =
  /^vk(Create|Destroy|Allocate|Free|Bind|Update|Cmd|Queue|Begin|End|Reset|Trim|Set|Merge|Map|Unmap|Flush|Invalidate|Wait|DeviceWait|Signal|Acquire|Release|Import|Copy|Transition|Build|Write|Register|Unregister|Compile)/;
/** Queries whose answers a replay needs, to compare them with another driver's or to know that it cannot continue. */
const ASKS: readonly RegExp[] = [
  /^vkGetDeviceQueue2?$/,
  /^vkEnumeratePhysicalDevices$/,
  /^vkGetPhysicalDevice(Memory|QueueFamily|)Properties(2|2KHR)?$/,
  /^vkGetImageSubresourceLayout/,
  /^vkGet\w+Address\w*$/,
  /^vkGet\w+(Fd|Handle|Buffer|Object)(KHR|EXT|ANDROID|NV|FUCHSIA|MVK|)$/,
  /^vkGetSwapchainImagesKHR$/,
  /^vkGetFenceStatus$/,
  /^vkGetSemaphoreCounterValue/,
];
/** Commands that are only for people and debuggers. */
const TALKS = /Debug(Utils|Marker|Report)/;

/** Whether a recording contains a command. */
export function isRecorded(command: string): boolean {
  return !TALKS.test(command) && (DOES.test(command) || ASKS.some((pattern) => pattern.test(command)));
}

/** Whether a command creates its outputs. Other commands return existing objects. */
export function makes(command: string): boolean {
  return /^vk(Create|Allocate|Register)/.test(command);
}

/** Returns a command's name without the suffix that it had before it became part of Vulkan. */
export function coreName(command: string): string {
  return command.replace(/(KHR|EXT)$/, "");
}

/** Whether a struct of a chain is only for people, debuggers and loaders, so that a replay does not need it. */
export function isChained(name: string): boolean {
  return !/^VkDebug|^VkValidation|^VkLayer|^VkDirectDriverLoading/.test(name);
}
