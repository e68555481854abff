import { peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { enabledExtensions } from "../../loader/driver/enabled_extensions.ts";
import { mergeExtensions, readExtensionList, writeExtensionList } from "../../loader/driver/extension_list.ts";
import type { Hook, Layer } from "../../loader/layer.ts";
import { chain, findInChain, nextOf, requestedVersion } from "../../loader/chain/create_info.ts";
import { defineLayer } from "../../loader/layers/define_layer.ts";
import { structAt } from "../../loader/layers/foreign.ts";
import type { RawCommands } from "../../loader/types.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { AdaptorDevice } from "./adaptor_device.ts";
import { Below } from "./below.ts";
import { NATIVE_BUFFER, NATIVE_BUFFER_VERSION, RESULT, STYPE } from "./constants.ts";
import { createNativeImage } from "./create_image.ts";
import { devicePlans } from "./device_plan.ts";
import { type GpuFacts, gpuFacts, type InstanceFacts, majorMinor } from "./gpu_facts.ts";
import { instanceInfos } from "./instance_plan.ts";
import type { AdaptorOptions } from "./options.ts";
import { chained, write } from "./struct.ts";
import { possibleTiers } from "./tiers.ts";

/** The layer that gives any driver VK_ANDROID_native_buffer. */
export interface NativeBufferAdaptor extends Layer {
  /** vkAcquireImageANDROID with a fence that need not be a file descriptor. The fence is consumed. Returns a VkResult. */
  acquire(device: bigint, image: bigint, fence: NativeFence, semaphore: bigint, vkFence: bigint): number;
  /** vkQueueSignalReleaseImageANDROID with a fence that need not be a file descriptor, which the caller owns; a VkResult when that is an error. */
  release(queue: bigint, waitCount: number, pWaitSemaphores: bigint, image: bigint): NativeFence | number;
}

const EXTENSION = { extensionName: NATIVE_BUFFER, specVersion: NATIVE_BUFFER_VERSION };

/**
 * Makes the layer for the bottom of the chain that gives any driver the device
 * extension VK_ANDROID_native_buffer, on which Android's swapchains stand. A
 * driver that has the extension itself is used as it is.
 */
export function nativeBufferAdaptor(options: AdaptorOptions = {}): NativeBufferAdaptor {
  const adaptor = new Adaptor(options, () => layer);
  const layer: NativeBufferAdaptor = Object.assign(
    defineLayer({
      name: "VK_LAYER_PUMICE_native_buffer_adaptor",
      deviceExtensions: [EXTENSION],
      onForeignThread: "block",
      commands: adaptor.commands(),
    }),
    {
      acquire: adaptor.acquire.bind(adaptor),
      release: adaptor.release.bind(adaptor),
    },
  );
  return layer;
}

class Adaptor {
  readonly #options: AdaptorOptions;
  readonly #layer: () => Layer;
  /** By dispatch key. */
  readonly #instances = new Map<bigint, InstanceState>();
  readonly #devices = new Map<bigint, AdaptorDevice>();

  constructor(options: AdaptorOptions, layer: () => Layer) {
    this.#options = options;
    this.#layer = layer;
  }

  commands(): NonNullable<Layer["commands"]> {
    const properties2 = this.#properties2(), bind2 = this.#bind2();
    return {
      vkCreateInstance: (next, info, allocator, out) => this.#createInstance(next, info, allocator, out),
      vkDestroyInstance: (next, instance, allocator) => {
        const key = instance === 0n ? 0n : peek64(instance);
        next(instance, allocator);
        this.#instances.delete(key);
      },
      vkEnumerateDeviceExtensionProperties: (next, gpu, layer, count, out) =>
        layer === 0n ? listed((...ask) => next(gpu, 0n, ...ask), count, out) : next(gpu, layer, count, out),
      vkGetPhysicalDeviceProperties2: properties2,
      vkGetPhysicalDeviceProperties2KHR: properties2,
      vkCreateDevice: (next, gpu, info, allocator, out) => this.#createDevice(next, gpu, info, allocator, out),
      vkDestroyDevice: (next, device, allocator) => {
        const key = device === 0n ? 0n : peek64(device), state = this.#devices.get(key);
        this.#devices.delete(key);
        state?.close();
        next(device, allocator);
      },
      ...this.#usageHooks(),
      vkCreateImage: (next, device, info, allocator, out) => this.#createImage(next, device, info, allocator, out),
      vkDestroyImage: (next, device, image, allocator) => {
        next(device, image, allocator);
        this.#deviceOf(device)?.images.get(image)?.close();
      },
      vkBindImageMemory2: bind2,
      vkBindImageMemory2KHR: bind2,
      vkAcquireImageANDROID: (next, device, image, fd, semaphore, fence) =>
        this.#deviceOf(device)
          ? this.acquire(device, image, NativeFence.adopt(fd), semaphore, fence)
          : next(device, image, fd, semaphore, fence),
      vkQueueSignalReleaseImageANDROID: (next, queue, count, waits, image, out) => {
        if (!this.#deviceOf(queue)) return next(queue, count, waits, image, out);
        const fence = this.release(queue, count, waits, image);
        poke32(out, typeof fence === "number" ? -1 : fence.take());
        return typeof fence === "number" ? fence : RESULT.SUCCESS;
      },
    };
  }

  acquire(handle: bigint, image: bigint, native: NativeFence, semaphore: bigint, fence: bigint): number {
    const device = this.#deviceOf(handle);
    if (device?.images.has(image)) return device.acquires.acquire(native, semaphore, fence);
    native.close();
    return RESULT.ERROR_INITIALIZATION_FAILED;
  }

  release(queue: bigint, count: number, waits: bigint, handle: bigint): NativeFence | number {
    const device = this.#deviceOf(queue), image = device?.images.get(handle);
    return image ? device!.releases.release(queue, count, waits, image) : RESULT.ERROR_INITIALIZATION_FAILED;
  }

  #deviceOf(handle: bigint): AdaptorDevice | undefined {
    return this.#devices.get(peek64(handle));
  }

  #instanceOf(gpu: bigint): InstanceState {
    const key = peek64(gpu);
    let state = this.#instances.get(key);
    if (!state) this.#instances.set(key, state = new InstanceState(this.#layer(), gpu, UNKNOWN_INSTANCE));
    return state;
  }

  #createInstance(next: RawCommands["vkCreateInstance"], info: bigint, allocator: bigint, out: bigint): number {
    let result: number = RESULT.ERROR_EXTENSION_NOT_PRESENT;
    for (const each of instanceInfos(info)) {
      result = next(each, allocator, out);
      if (result >= 0) {
        const facts = {
          version: majorMinor(requestedVersion(info)) || 0x400000,
          extensions: new Set(enabledExtensions(each) ?? []),
        };
        this.#instances.set(peek64(peek64(out)), new InstanceState(this.#layer(), peek64(out), facts));
        return result;
      }
      if (result !== RESULT.ERROR_EXTENSION_NOT_PRESENT) return result;
    }
    return result;
  }

  #createDevice(
    next: RawCommands["vkCreateDevice"],
    gpu: bigint,
    info: bigint,
    allocator: bigint,
    out: bigint,
  ): number {
    const state = this.#instanceOf(gpu), facts = state.gpu(gpu);
    if (facts.hasOwn || !enabledExtensions(info)?.includes(NATIVE_BUFFER)) return next(gpu, info, allocator, out);
    let result = 0;
    for (const plan of devicePlans(structAt("VkDeviceCreateInfo", info), facts, state.facts)) {
      result = next(gpu, write("VkDeviceCreateInfo", plan.info), allocator, out);
      if (result < 0) continue;
      const handle = peek64(out);
      const device = new AdaptorDevice({ layer: this.#layer(), handle, gpu: facts, plan, options: this.#options });
      this.#devices.set(peek64(handle), device);
      return result;
    }
    return result;
  }

  #createImage(
    next: RawCommands["vkCreateImage"],
    handle: bigint,
    info: bigint,
    allocator: bigint,
    out: bigint,
  ): number {
    const first = nextOf(info), device = first === 0n ? undefined : this.#deviceOf(handle);
    if (!device) return next(handle, info, allocator, out);
    if (findInChain(first, STYPE.NATIVE_BUFFER) === 0n) return next(handle, info, allocator, out);
    const decoded = structAt("VkImageCreateInfo", info);
    const create = (changed: bigint) => next(handle, changed, allocator, out);
    const result = createNativeImage(device, {
      info: decoded,
      native: chained(decoded, STYPE.NATIVE_BUFFER)!,
      create,
      out,
    });
    if (result < 0) poke64(out, 0n);
    return result;
  }

  #properties2(): Hook<"vkGetPhysicalDeviceProperties2"> {
    return (next, gpu, out) => {
      const state = this.#instanceOf(gpu), place = linkOf(out, STYPE.PRESENTATION_PROPERTIES);
      if (!place || state.gpu(gpu).hasOwn) return next(gpu, out);
      poke64(place.link, nextOf(place.address));
      next(gpu, out);
      poke64(place.link, place.address);
      poke32(place.address + 16n, state.canShare(gpu) ? 1 : 0);
    };
  }

  #bind2(): Hook<"vkBindImageMemory2"> {
    return (next, device, count, infos) => next(device, count, infos);
  }

  #usageHooks(): NonNullable<Layer["commands"]> {
    const usageOf = (
      device: AdaptorDevice,
      format: number,
      usage: number,
      swapchain: number,
      write: (usage: { consumer: bigint; producer: bigint }) => void,
    ) => {
      const found = device.rules.usageFor(format, usage, swapchain);
      if (!found) return RESULT.ERROR_FORMAT_NOT_SUPPORTED;
      write(found);
      return RESULT.SUCCESS;
    };
    return {
      vkGetSwapchainGrallocUsageANDROID: (next, handle, format, usage, out) => {
        const device = this.#deviceOf(handle);
        if (!device) return next(handle, format, usage, out);
        return usageOf(
          device,
          format,
          usage,
          0,
          ({ consumer, producer }) => poke32(out, grallocUsage0(consumer | producer)),
        );
      },
      vkGetSwapchainGrallocUsage2ANDROID: (next, handle, format, usage, swapchain, consumerOut, producerOut) => {
        const device = this.#deviceOf(handle);
        if (!device) return next(handle, format, usage, swapchain, consumerOut, producerOut);
        return usageOf(device, format, usage, swapchain, ({ consumer, producer }) => {
          poke64(consumerOut, consumer);
          poke64(producerOut, producer);
        });
      },
      vkGetSwapchainGrallocUsage3ANDROID: (next, handle, info, out) => {
        const device = this.#deviceOf(handle);
        if (!device) return next(handle, info, out);
        const { format, imageUsage } = structAt("VkGrallocUsageInfoANDROID", info);
        return usageOf(
          device,
          format as number,
          imageUsage as number,
          0,
          ({ consumer, producer }) => poke64(out, consumer | producer),
        );
      },
      vkGetSwapchainGrallocUsage4ANDROID: (next, handle, info, out) => {
        const device = this.#deviceOf(handle);
        if (!device) return next(handle, info, out);
        const { format, imageUsage, swapchainImageUsage } = structAt("VkGrallocUsageInfo2ANDROID", info);
        return usageOf(
          device,
          format as number,
          imageUsage as number,
          swapchainImageUsage as number,
          ({ consumer, producer }) => poke64(out, consumer | producer),
        );
      },
    };
  }
}

const UNKNOWN_INSTANCE: InstanceFacts = { version: 0x401000, extensions: new Set() };

/** What is known of an instance and its physical devices. */
class InstanceState {
  readonly facts: InstanceFacts;
  readonly #below: Below;
  readonly #gpus = new Map<bigint, GpuFacts>();

  constructor(layer: Layer, handle: bigint, facts: InstanceFacts) {
    this.#below = new Below(layer, handle);
    this.facts = facts;
  }

  gpu(handle: bigint): GpuFacts {
    let facts = this.#gpus.get(handle);
    if (!facts) this.#gpus.set(handle, facts = gpuFacts(this.#below.commands, handle, this.facts));
    return facts;
  }

  /** Whether images can be drawn into buffers directly: by what the driver says, for there is no device to try. */
  canShare(gpu: bigint): boolean {
    const kind = { format: 37, usage: 0x10, flags: 0 };
    return possibleTiers(this.#below.commands, this.gpu(gpu), kind).some(({ tier }) => tier !== "staging");
  }
}

function grallocUsage0(usage: bigint): number {
  const rule = usage >> 48n;
  return Number(usage & 0x0fffffffn) | (rule < 16n ? Number(rule) << 28 : 0);
}

function listed(ask: (count: bigint, out: bigint) => number, count: bigint, out: bigint): number {
  const list = readExtensionList(ask);
  return typeof list === "number" ? list : writeExtensionList(mergeExtensions(list, [EXTENSION]), count, out);
}

/** Where a struct of a chain is, and what points to it. */
function linkOf(root: bigint, sType: number): { link: bigint; address: bigint } | undefined {
  let link = root + 8n;
  for (const each of chain(nextOf(root))) {
    if (each.sType === sType) return { link, address: each.address };
    link = each.address + 8n;
  }
}
