import { ADAPTOR_RULES, type AdaptorOptions, type AdaptorTier } from "./options.ts";
import { checkOptions } from "../../ffi/check_options.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import type { Hook, Layer } from "../../loader/layer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import { Adaptor, type DeviceDescription } from "./adaptor.ts";
import { EXTENSION, STYPE } from "./constants.ts";
import { deviceHooks, frameHooks, usageHooks } from "./device_hooks.ts";
import { driverSwapchainHooks } from "./driver_swapchain_hooks.ts";
import { instanceHooks } from "./instance_hooks.ts";
import { semaphoreHooks } from "./semaphore_hooks.ts";
import { arena } from "../../ffi/arena.ts";
import { peek64, poke64 } from "../../ffi/machine.ts";
import { findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import { structAt } from "../../loader/codec/codec.ts";
import type { RawCommands } from "../../loader/types.ts";
import { bindUnbound, createNativeImage, createUnbound } from "./create_image.ts";
import { chained } from "./struct.ts";
import {
  sizeOfVkBindImageMemoryInfo,
  VkBindImageMemoryInfo,
  VkNativeBufferANDROID,
} from "../../loader/gen/native_gen.ts";

const BIND = VkBindImageMemoryInfo, BIND_SIZE = sizeOfVkBindImageMemoryInfo;

/** The adaptor's hooks for images. */
function imageHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  const bind2 = bindHook(adaptor);
  return {
    vkCreateImage: (next, ...args) => createImage(adaptor, next, ...args),
    vkDestroyImage(next, device, image, allocator) {
      const known = adaptor.deviceOf(device), native = known?.images.get(image);
      known?.unbound.delete(image);
      native?.settle();
      next(device, image, allocator);
      native?.close();
    },
    vkBindImageMemory2: bind2,
    vkBindImageMemory2KHR: bind2,
  };
}

function createImage(
  adaptor: Adaptor,
  next: RawCommands["vkCreateImage"],
  handle: bigint,
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  const first = nextOf(info), device = first === 0n ? undefined : adaptor.deviceOf(handle);
  const isNative = device && findInChain(first, STYPE.NATIVE_BUFFER) !== 0n;
  if (!device || !isNative && findInChain(first, STYPE.IMAGE_SWAPCHAIN_CREATE_INFO) === 0n) {
    return next(handle, info, allocator, out);
  }
  const decoded = structAt("VkImageCreateInfo", info);
  const creation = { info: decoded, create: (changed: bigint) => next(handle, changed, allocator, out), out };
  const native = chained(decoded, STYPE.NATIVE_BUFFER);
  const result = native ? createNativeImage(device, creation, native) : createUnbound(device, creation);
  if (result < 0) poke64(out, 0n);
  return result;
}

/** Binds images to the buffers that they name, and leaves the others to those below. */
function bindHook(adaptor: Adaptor): Hook<"vkBindImageMemory2"> {
  return (next, handle, count, infos) => {
    const device = adaptor.deviceOf(handle);
    if (!device) return next(handle, count, infos);
    const places = Array.from({ length: count }, (_, index) => infos + BigInt(BIND_SIZE * index));
    const ours = places.filter((at) => nativeHandleOf(at) !== undefined);
    if (ours.length === 0) return next(handle, count, infos);
    for (const at of ours) {
      const result = bindUnbound(device, peek64(at + BIND.image), nativeHandleOf(at)!);
      if (result < 0) return result;
    }
    const rest = places.filter((at) => !ours.includes(at));
    return rest.length === 0 ? 0 : next(handle, rest.length, together(rest));
  };
}

/** The native_handle_t to which a VkBindImageMemoryInfo binds; `undefined` when that is not the adaptor's affair. */
function nativeHandleOf(info: bigint): bigint | undefined {
  if (peek64(info + BIND.memory) !== 0n) return undefined;
  const native = findInChain(nextOf(info), STYPE.NATIVE_BUFFER);
  return native === 0n ? undefined : peek64(native + VkNativeBufferANDROID.handle);
}

function together(infos: readonly bigint[]): bigint {
  const memory = arena(),
    all = infos.map((each) => memory.copyIn(each, BIND_SIZE)),
    list = memory.alloc(BIND_SIZE * all.length);
  all.forEach((at, index) => memory.bytes.copyWithin(list + BIND_SIZE * index, at, at + BIND_SIZE));
  return memory.address(list);
}

export type { AdaptorOptions, AdaptorTier, SemaphoreKind } from "./options.ts";
export type { DeviceDescription, FormatDescription } from "./adaptor.ts";
export type { QueuePlace } from "./device_plan.ts";

/** The layer that gives any driver VK_ANDROID_native_buffer. */
export interface NativeBufferAdaptor extends Layer {
  /**
   * vkAcquireImageANDROID for a fence of any kind. The semaphore and the VkFence (either may be 0n) are signalled when
   * the fence is signalled. The fence is consumed, even on failure. Returns a VkResult.
   */
  acquire(device: bigint, image: bigint, fence: NativeFence, semaphore: bigint, vkFence: bigint): number;
  /**
   * vkQueueSignalReleaseImageANDROID that returns a fence of any kind, which the caller owns. The fence is signalled
   * when the semaphores are signalled and the buffer can be read. Returns the VkResult on an error.
   */
  release(queue: bigint, waitSemaphoreCount: number, pWaitSemaphores: bigint, image: bigint): NativeFence | number;
  /**
   * Returns whether the adaptor provides a device's native buffers; `false` if the driver has native buffers of its
   * own, or if the device does not enable the extension.
   */
  takesPartIn(device: bigint): boolean;
  /**
   * Returns the tier of images of a VkFormat and VkImageUsageFlags; `undefined` if such images are impossible, or if
   * the adaptor does not provide the device's native buffers.
   */
  tierOf(device: bigint, format: number, usage: number): AdaptorTier | undefined;
  /**
   * Returns how the adaptor works on a device; `undefined` if the adaptor does not provide the device's native buffers.
   */
  describe(device: bigint): DeviceDescription | undefined;
}

/**
 * Creates a layer for the bottom of the chain that gives any driver the device extension VK_ANDROID_native_buffer,
 * which Android's swapchains need: images whose pixels are gralloc buffers, and native fences at the beginning and end
 * of a frame. A driver that has the extension is used unchanged.
 *
 * The layout VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR reaches the driver unchanged, since the software drivers accept every
 * layout and hooking every barrier would be slow. Images in imported dma-bufs are not handed over to
 * VK_QUEUE_FAMILY_FOREIGN_EXT. A driver that imports SYNC_FD gets the sync_files with which frames begin; the fence
 * worker waits for all other fences. Frames end with sync_files where a GPU's driver exports SYNC_FD.
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
