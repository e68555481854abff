/**
 * A driver that has VK_ANDROID_native_buffer itself and remembers what is asked
 * of it, and a window on Android's loader over it.
 *
 * @module
 */
import { poke32, poke64 } from "../../ffi/machine.ts";
import { closeDescriptor, duplicate } from "../../ffi/file/file_descriptor.ts";
import { defineDriver, type PhysicalDeviceSpec, type ScriptedDriver } from "../../loader/drivers.ts";
import type { VulkanOptions } from "../../loader/mod.ts";
import type { Layer } from "../../loader/layer.ts";
import { structAt, structsAt } from "../../loader/codec/codec.ts";
import type { VkDevice, VkInstance, VkPhysicalDevice, VkQueue, VkSurfaceKHR } from "../../loader/types.ts";
import { loadVulkan } from "../../wsi/load_vulkan.ts";
import { NativeWindow, type NativeWindowOptions } from "../../wsi/window/native_window.ts";

export const NATIVE_BUFFER = "VK_ANDROID_native_buffer";
/** Commands of the extension; {@linkcode USAGE_COMMANDS} are the others. */
export const FENCE_COMMANDS = ["vkAcquireImageANDROID", "vkQueueSignalReleaseImageANDROID"];
/** From the newest to the oldest. */
export const USAGE_COMMANDS = ["4", "3", "2", ""].map((each) => `vkGetSwapchainGrallocUsage${each}ANDROID`);
/** The driver's answers for usage bits: by the newer commands, by the pair, by the oldest. */
export const USAGE = { whole: 0x200n | 1n << 50n, consumer: 0x100n, producer: 0x260n, old: 0x233 } as const;

/** A call of a command, with its structs read. */
// deno-lint-ignore no-explicit-any -- whatever the command is given
export type Call = { readonly command: string } & Record<string, any>;

/** The properties of the driver. */
export interface NativeBufferSpec {
  /** VK_ANDROID_native_buffer's revision. Default 11. */
  readonly version?: number;
  /** Packed; `null` for a driver of 1.0. Default 1.3. */
  readonly apiVersion?: number | null;
  readonly missing?: readonly string[];
  readonly sharedImage?: boolean;
  readonly instanceExtensions?: readonly string[];
  readonly deviceExtensions?: readonly string[];
  readonly physicalDevice?: Partial<PhysicalDeviceSpec>;
  /** Hooks beside its own. */
  readonly commands?: Layer["commands"];
}

/** The driver, and what it was asked. */
export class NativeBufferDriver implements Disposable {
  readonly scripted: ScriptedDriver;
  /** In order. */
  readonly asked: Call[] = [];
  /** The result of vkAcquireImageANDROID. */
  acquireResult = 0;
  /** The result of vkBindImageMemory2. */
  bindResult = 0;
  /** The results of the next calls of vkCreateImage. */
  imageResults: number[] = [];
  /** The result of the commands that say what buffers must be good for. */
  usageResult = 0;
  /** Makes the file descriptors that vkQueueSignalReleaseImageANDROID hands out. */
  releaseFence: () => number = () => -1;

  constructor(spec: NativeBufferSpec = {}) {
    const { version = 11, apiVersion, missing, sharedImage, instanceExtensions, deviceExtensions = [] } = spec;
    this.scripted = defineDriver({
      name: "native buffers",
      apiVersion,
      missing,
      instanceExtensions,
      physicalDevices: [{
        extensions: [{ extensionName: NATIVE_BUFFER, specVersion: version }, ...deviceExtensions],
        chain: sharedImage === undefined ? [] : [{ sType: 1000010002, sharedImage } as never],
        ...spec.physicalDevice,
      }],
      commands: { ...this.#commands(), ...spec.commands },
    });
  }

  /** The calls of a command. */
  of(command: string): Call[] {
    return this.asked.filter((each) => each.command === command);
  }

  [Symbol.dispose](): void {
    this.scripted.close();
  }

  #commands(): Layer["commands"] {
    const note = (command: string, more: object) => void this.asked.push({ command, ...more });
    const imageResult = () => this.imageResults.shift() ?? 0;
    return {
      ...usageCommands(note, () => this.usageResult),
      vkCreateDevice(next, gpu, info, ...rest) {
        note("vkCreateDevice", { info: structAt("VkDeviceCreateInfo", info) });
        return next(gpu, info, ...rest);
      },
      vkCreateImage(next, device, info, ...rest) {
        note("vkCreateImage", { info: structAt("VkImageCreateInfo", info) });
        return imageResult() || next(device, info, ...rest);
      },
      vkBindImageMemory2: (_next, _device, count, infos) => {
        note("vkBindImageMemory2", { infos: structsAt("VkBindImageMemoryInfo", infos, count) });
        return this.bindResult;
      },
      vkGetPhysicalDeviceFormatProperties(_next, _gpu, _format, out) {
        poke32(out, 0);
        poke32(out + 4n, 0x81);
        poke32(out + 8n, 0);
      },
      vkAcquireImageANDROID: (_next, _device, image, fd, semaphore, fence) => {
        const isOpen = fd < 0 || isDescriptor(fd);
        note("vkAcquireImageANDROID", { image, fd, isOpen, semaphore, fence });
        if (fd >= 0) closeDescriptor(fd); // the driver's, always
        return this.acquireResult;
      },
      vkQueueSignalReleaseImageANDROID: (_next, _queue, count, semaphores, image, out) => {
        const fd = this.releaseFence();
        note("vkQueueSignalReleaseImageANDROID", { count, semaphores, image, fd });
        poke32(out, fd);
        return 0;
      },
    };
  }
}

function isDescriptor(fd: number): boolean {
  const copy = duplicate(fd);
  if (copy >= 0) closeDescriptor(copy);
  return copy >= 0;
}

function usageCommands(note: (command: string, more: object) => void, result: () => number): Layer["commands"] {
  return {
    vkGetSwapchainGrallocUsage4ANDROID(_next, _device, info, out) {
      note(USAGE_COMMANDS[0], { info: structAt("VkGrallocUsageInfo2ANDROID", info) });
      poke64(out, USAGE.whole);
      return result();
    },
    vkGetSwapchainGrallocUsage3ANDROID(_next, _device, info, out) {
      note(USAGE_COMMANDS[1], { info: structAt("VkGrallocUsageInfoANDROID", info) });
      poke64(out, USAGE.whole);
      return result();
    },
    vkGetSwapchainGrallocUsage2ANDROID(_next, _device, format, imageUsage, swapchainUsage, consumer, producer) {
      note(USAGE_COMMANDS[2], { format, imageUsage, swapchainUsage });
      poke64(consumer, USAGE.consumer);
      poke64(producer, USAGE.producer);
      return result();
    },
    vkGetSwapchainGrallocUsageANDROID(_next, _device, format, imageUsage, out) {
      note(USAGE_COMMANDS[3], { format, imageUsage });
      poke32(out, USAGE.old);
      return result();
    },
  };
}

/** Options for the loader and the window over the driver. */
export interface PhoneOptions {
  readonly window?: Partial<NativeWindowOptions>;
  readonly apiVersion?: number;
  readonly instanceExtensions?: readonly string[];
  readonly deviceExtensions?: readonly string[];
  readonly vulkan?: Partial<VulkanOptions>;
}

/** An application's device and surface on Android's loader. */
export class Phone implements Disposable {
  readonly window: NativeWindow;
  readonly instance: VkInstance;
  readonly gpu: VkPhysicalDevice;
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly surface: VkSurfaceKHR;
  readonly #owned = new DisposableStack();

  constructor({ scripted }: NativeBufferDriver, options: PhoneOptions = {}) {
    const owned = this.#owned, { apiVersion = 0x402000 } = options;
    this.window = owned.use(new NativeWindow({ width: 64, height: 32, ...options.window }));
    const vulkan = owned.use(loadVulkan({ driver: scripted, platform: "android", ...options.vulkan }));
    this.instance = owned.use(vulkan.vkCreateInstance({
      pApplicationInfo: { apiVersion },
      ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_android_surface", ...options.instanceExtensions ?? []],
    }));
    [this.gpu] = this.instance.vkEnumeratePhysicalDevices();
    this.device = owned.use(this.gpu.vkCreateDevice({
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      ppEnabledExtensionNames: ["VK_KHR_swapchain", ...options.deviceExtensions ?? []],
    }));
    this.queue = this.device.vkGetDeviceQueue(0, 0);
    this.surface = this.instance.vkCreateAndroidSurfaceKHR({ window: this.window.address as never });
    owned.defer(() => this.instance.vkDestroySurfaceKHR(this.surface));
  }

  /** The names of the device extensions that are shown. */
  get extensions(): string[] {
    return this.gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
  }

  [Symbol.dispose](): void {
    this.#owned.dispose();
  }
}
