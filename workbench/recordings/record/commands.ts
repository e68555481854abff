import { findCommand } from "../../../loader/command/registry/table.ts";
import { VK_EVENT_RESET, VK_EVENT_SET, VK_NOT_READY, VK_TIMEOUT } from "../../../loader/gen/native_gen.ts";
import type { RecordedCall } from "./line.ts";

/** Name prefixes of commands that create, change, run, wait for or destroy something. */
const DOES =
  /^vk(DeferredOperationJoin|Create|Destroy|Allocate|Free|Bind|Update|Cmd|Queue|Begin|End|Reset|Trim|Set|Merge|Map|Unmap|Flush|Invalidate|Wait|DeviceWait|Signal|Acquire|Release|Import|Copy|Transition|Build|Write|Register|Unregister|Compile)/;
/** Queries whose answers a replay needs, to compare them with another driver's or to know that it cannot continue. */
const ASKS: readonly RegExp[] = [
  /^vkGetDeviceQueue2?$/,
  /^vkEnumeratePhysicalDevices$/,
  /^vkGetPhysicalDevice(Memory|QueueFamily|)Properties(2|2KHR)?$/,
  /^vkGetImageSubresourceLayout/,
  /^vkGet\w+Address\w*$/,
  /^vkGet\w+(Fd|Handle|Buffer|Object)(KHR|EXT|ANDROID|NV|FUCHSIA|MVK|)$/,
  /^vkGetSwapchainImagesKHR$/,
];
/** Commands that are only for people and debuggers. */
const TALKS = /Debug(Utils|Marker|Report)/;

/** Success codes that say how far the GPU is: VK_NOT_READY, VK_TIMEOUT, VK_EVENT_SET and VK_EVENT_RESET. */
const TELLING: readonly number[] = [VK_NOT_READY, VK_TIMEOUT, VK_EVENT_SET, VK_EVENT_RESET];
/** Commands that tell how far the GPU is by other means than a success code. */
const TELLS = /^vk((Queue|Device)WaitIdle$|GetSemaphoreCounterValue)/;
/** Commands with such success codes that say nothing of the GPU's work: of pipelines, timing, and faults. */
const TELLS_ELSE =
  /^vk(GetDeferredOperationResult|SetSwapchainPresentTimingQueueSize|GetSwapchainTimingProperties|GetDeviceFaultReports)/;

/** Commands, without their suffixes, that return the address of an object of the device. */
export const GIVES_ADDRESS = /^vkGet(Buffer|AccelerationStructure)DeviceAddress$/;
/** Commands that give out bytes or numbers that only the driver understands, and that programs write where shaders find them. */
const GIVES_SECRETS =
  /^vk(GetRayTracing\w*GroupHandles|GetDescriptor(EXT|NV|KHR)?$|Write(Resource|Sampler)Descriptors|GetImageView(Handle|Address)|GetDeviceCombinedImageSamplerIndex)/;

/** Whether a command gives out what only the driver understands, so that no replay can put anything in its place. */
export function givesSecrets(command: string): boolean {
  return GIVES_SECRETS.test(command);
}

/** Whether a recording contains a command. */
export function isRecorded(command: string): boolean {
  return !TALKS.test(command) &&
    (DOES.test(command) || tellsProgress(command) || ASKS.some((pattern) => pattern.test(command)));
}

/**
 * Whether a program learns from a command how far the GPU is: by its success
 * codes in the registry, or because it waits.
 */
export function tellsProgress(command: string): boolean {
  if (TELLS.test(command)) return true;
  return !TELLS_ELSE.test(command) && (findCommand(command)?.codes ?? []).some((code) => TELLING.includes(code));
}

/**
 * Whether a call counts from its end instead of its beginning, so that other
 * calls may come between: one that waits, and vkDestroyInstance, within which
 * the instance's devices are destroyed.
 */
export function countsFromEnd(command: string): boolean {
  return command === "vkDestroyInstance" || tellsProgress(command);
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

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

/** Returns the names of the command buffers in a submission. */
export function commandBuffersIn({ args }: RecordedCall): string[] {
  return (args.pSubmits ?? []).flatMap(({ pCommandBuffers, pCommandBufferInfos }: Fields) =>
    pCommandBuffers ?? (pCommandBufferInfos ?? []).map(({ commandBuffer }: Fields) => commandBuffer)
  );
}
