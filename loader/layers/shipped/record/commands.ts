/** Commands by what their names begin with that make, change, run, wait for or destroy something. */
const DOES =
  /^vk(Create|Destroy|Allocate|Free|Bind|Update|Cmd|Queue|Begin|End|Reset|Trim|Set|Merge|Map|Unmap|Flush|Invalidate|Wait|DeviceWait|Signal|Acquire|Release|Import|Copy|Transition|Build|Write|Register|Unregister|Compile)/;
/** Questions whose answers a replay needs, to hold against those of another driver or to know that it cannot go on. */
const ASKS: readonly RegExp[] = [
  /^vkGetDeviceQueue2?$/,
  /^vkGetPhysicalDevice(Memory|QueueFamily)Properties(2|2KHR)?$/,
  /^vkGetImageSubresourceLayout/,
  /^vkGet\w+Address\w*$/,
  /^vkGet\w+(Fd|Handle|Buffer|Object)(KHR|EXT|ANDROID|NV|FUCHSIA|MVK|)$/,
  /^vkGetSwapchainImagesKHR$/,
  /^vkGetFenceStatus$/,
  /^vkGetSemaphoreCounterValue/,
];
/** What only people and debuggers see. */
const TALKS = /Debug(Utils|Marker|Report)/;

/** Whether a recording has a command. */
export function isRecorded(command: string): boolean {
  return !TALKS.test(command) && (DOES.test(command) || ASKS.some((pattern) => pattern.test(command)));
}

/** Whether a command makes what it puts out; others hand out what there was before. */
export function makes(command: string): boolean {
  return /^vk(Create|Allocate|Register)/.test(command);
}

/** A command without the suffix it had before it became part of Vulkan. */
export function coreName(command: string): string {
  return command.replace(/(KHR|EXT)$/, "");
}

/** Structs of a chain that only people, debuggers and loaders read, and that a replay does without. */
export function isChained(name: string): boolean {
  return !/^VkDebug|^VkValidation|^VkLayer|^VkDirectDriverLoading/.test(name);
}
