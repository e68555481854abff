/** Commands and structs that no other driver can repeat, by name, and why. */
const REASONS: readonly (readonly [names: RegExp, reason: string])[] = [
  [/Surface|Swapchain|Present|Display/, "belongs to a window system"],
  [
    /^VkImport|^vkImport|Fd(KHR|Properties)|Win32|Zircon|AndroidHardwareBuffer|NativeBuffer|Metal|HostPointer/,
    "is about something outside of Vulkan",
  ],
  [/IndirectDeviceAddress(KHR|EXT|NV)?$/, "gave out an address that only the recording driver knows"],
  [/^vkBind(?!(Buffer|Image)Memory)/, "binds memory to what only an extension knows"],
  [/QueueBindSparse/, "lays out memory in pages of the recording driver"],
];

/** Commands of window systems that a replay carries out itself, on its own images. */
const PRESENTING =
  /^vk(Create\w*Surface\w*|DestroySurfaceKHR|CreateSwapchainKHR|DestroySwapchainKHR|GetSwapchainImagesKHR|AcquireNextImage2?KHR|QueuePresentKHR)$/;

/** Whether a command is about surfaces and swapchains, and can be replayed. */
export function isPresenting(command: string): boolean {
  return PRESENTING.test(command);
}

/** Returns why a command cannot be replayed; `undefined` if it can. */
export function refusedCommand(command: string): string | undefined {
  if (command.startsWith("vkCmd") || isPresenting(command)) return undefined;
  return REASONS.find(([names]) => names.test(command))?.[1];
}

/** Returns why a struct of a chain cannot be replayed; `undefined` if it can. */
export function refusedStruct(name: string): string | undefined {
  if (name.startsWith("VkPhysicalDevice")) return undefined;
  return REASONS.find(([names]) => names.test(name))?.[1];
}
