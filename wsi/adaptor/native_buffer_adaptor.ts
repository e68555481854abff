import { ADAPTOR_RULES } from "./options.ts";
import { checkOptions } from "../../ffi/check_options.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import type { Layer } from "../../loader/layer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import { Adaptor } from "./adaptor.ts";
import { EXTENSION } from "./constants.ts";
import type { DeviceDescription } from "./describe.ts";
import { deviceHooks, frameHooks, usageHooks } from "./device_hooks.ts";
import { driverSwapchainHooks } from "./driver_swapchain_hooks.ts";
import { imageHooks } from "./image_hooks.ts";
import { instanceHooks } from "./instance_hooks.ts";
import type { AdaptorOptions, AdaptorTier } from "./options.ts";
import { semaphoreHooks } from "./semaphore_hooks.ts";

export type { AdaptorOptions, AdaptorTier, SemaphoreKind } from "./options.ts";
export type { DeviceDescription, FormatDescription } from "./describe.ts";
export type { QueuePlace } from "./device_plan.ts";

/** The layer that gives any driver VK_ANDROID_native_buffer. */
export interface NativeBufferAdaptor extends Layer {
  /**
   * vkAcquireImageANDROID with a fence that need not be a file descriptor: the
   * semaphore and the VkFence, each may be 0n, are signalled when the fence is,
   * which is consumed, also on failure. Returns a VkResult.
   */
  acquire(device: bigint, image: bigint, fence: NativeFence, semaphore: bigint, vkFence: bigint): number;
  /**
   * vkQueueSignalReleaseImageANDROID with a fence that need not be a file
   * descriptor, which the caller owns: signalled when the semaphores were and
   * the buffer may be read. The VkResult when that is an error.
   */
  release(queue: bigint, waitSemaphoreCount: number, pWaitSemaphores: bigint, image: bigint): NativeFence | number;
  /** Whether the adaptor does the part of a device's native buffers: not of one whose driver has them, or that does not enable them. */
  takesPartIn(device: bigint): boolean;
  /** Where images of a VkFormat and VkImageUsageFlags have their pixels; `undefined` where there are none, or it takes no part. */
  tierOf(device: bigint, format: number, usage: number): AdaptorTier | undefined;
  /** How it does its part on a device; `undefined` when it does not. */
  describe(device: bigint): DeviceDescription | undefined;
}

/**
 * Makes the layer for the bottom of the chain that gives any driver the device
 * extension VK_ANDROID_native_buffer, on which Android's swapchains stand:
 * images whose pixels are gralloc's buffers, and native fences at the beginning
 * and end of a frame. A driver that has the extension itself is used as it is.
 *
 * The layout VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR goes to the driver as it came:
 * the software drivers take any, and hooking every barrier would cost everybody.
 * dma-bufs are not imported, and sync_files neither imported nor exported as
 * semaphores: their fences are waited for by the fence worker.
 *
 * @example
 * ```ts
 * import { nativeBufferAdaptor } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const adaptor = nativeBufferAdaptor({ log: console.log });
 * assertEquals(adaptor.deviceExtensions?.[0].extensionName, "VK_ANDROID_native_buffer");
 * ```
 */
export function nativeBufferAdaptor(options: AdaptorOptions = {}): NativeBufferAdaptor {
  checkOptions("nativeBufferAdaptor()", options, ADAPTOR_RULES);
  const adaptor = new Adaptor(options, () => layer);
  const commands = {
    ...instanceHooks(adaptor),
    ...deviceHooks(adaptor),
    ...usageHooks(adaptor),
    ...imageHooks(adaptor),
    ...frameHooks(adaptor),
    ...semaphoreHooks(adaptor),
    ...driverSwapchainHooks(adaptor),
  };
  const defined = defineLayer({
    name: "VK_LAYER_PUMICE_native_buffer_adaptor",
    ownHandles: true, // semaphores that stand for others
    deviceExtensions: [EXTENSION],
    onForeignThread: Object.fromEntries(Object.keys(commands).map((name) => [name, "block"])),
    commands,
  });
  const layer: NativeBufferAdaptor = Object.assign(defined, {
    acquire: adaptor.acquire.bind(adaptor),
    release: adaptor.release.bind(adaptor),
    takesPartIn: (device: bigint) => adaptor.deviceOf(device) !== undefined,
    tierOf: (device: bigint, format: number, usage: number) =>
      adaptor.deviceOf(device)?.tiers.of({ format, usage, flags: 0 })?.tier,
    describe: adaptor.describe.bind(adaptor),
  });
  return layer;
}
