import type { VkDevice, VkImage } from "../../loader/types.ts";
import { STYPE } from "../adaptor/constants.ts";
import { allocateBuffer, allocateGuarded } from "../buffer/gralloc.ts";
import { usageFromProducerConsumer, usageToGralloc0, usageToProducerConsumer } from "../buffer/usage.ts";
import type { BufferRequest, GraphicBuffer } from "../buffer/graphic_buffer.ts";

/** VK_FORMAT_R8G8B8A8_UNORM and VK_FORMAT_R8G8B8A8_SRGB: every surface of Android's offers both. */
export const FORMATS = { unorm: 37, srgb: 43 } as const;
/** HAL_PIXEL_FORMAT_RGBA_8888. */
const RGBA_8888 = 1;
/** VK_IMAGE_USAGE_TRANSFER_SRC, TRANSFER_DST and COLOR_ATTACHMENT. */
export const IMAGE_USAGE = 0x13;
/** CPU_READ_OFTEN, for those who look at the pixels. */
const CPU_READ = 3n;
/** Neither a power of two nor a multiple of what rows are aligned to. */
const SIZE = { width: 61, height: 37 } as const;
/** Rows of a page, and not whole blocks of them. */
const SIZE_OF_PAGES = { width: 1024, height: 37 } as const;
/** Swapchains are the window system's: to a driver their handles mean nothing. */
const UNKNOWN_SWAPCHAIN = 0x10n;
/** The commands that say what buffers must be good for, and the revision of the extension that brought each; newest first. */
export const USAGE_COMMANDS: readonly (readonly [command: keyof VkDevice & string, revision: number])[] = [
  ["vkGetSwapchainGrallocUsage4ANDROID", 10],
  ["vkGetSwapchainGrallocUsage3ANDROID", 9],
  ["vkGetSwapchainGrallocUsage2ANDROID", 6],
  ["vkGetSwapchainGrallocUsageANDROID", 1],
];

type Size = Pick<BufferRequest, "width" | "height">;

/** A buffer of gralloc's and the image of it. */
export interface TrialImage {
  /** The image. */
  readonly image: VkImage;
  /** The buffer. */
  readonly buffer: GraphicBuffer;
}

/** Makes images of buffers on a device, and keeps them. */
export class TrialImages {
  readonly #device: VkDevice;
  readonly #made: TrialImage[] = [];

  /** None yet. */
  constructor(device: VkDevice) {
    this.#device = device;
  }

  /** Allocates a buffer as the driver wants it, and makes its image, with more structs in its chain. */
  make(format: number = FORMATS.unorm, more: readonly object[] = []): TrialImage {
    return this.#makeOf(this.#allocate(format), format, more);
  }

  /** The same of a buffer whose last row ends where nobody may touch anything; `undefined` for rows that cannot. */
  makeGuarded(): TrialImage | undefined {
    const format = FORMATS.unorm, buffer = allocateGuarded(this.#request(format, SIZE_OF_PAGES));
    return buffer && this.#makeOf(buffer, format, []);
  }

  #makeOf(buffer: GraphicBuffer, format: number, more: readonly object[]): TrialImage {
    try {
      const image = this.#device.vkCreateImage(imageInfo(format, [nativeBuffer(buffer), ...more], buffer));
      const made = { image, buffer };
      this.#made.push(made);
      return made;
    } catch (error) {
      buffer.close();
      throw error;
    }
  }

  /** An image that is made without memory, and then bound to a buffer. */
  makeBound(): TrialImage {
    const device = this.#device, buffer = this.#allocate(FORMATS.unorm);
    const image = device.vkCreateImage(
      imageInfo(FORMATS.unorm, [{ sType: STYPE.IMAGE_SWAPCHAIN_CREATE_INFO, swapchain: null }]),
    );
    this.#made.push({ image, buffer });
    const swapchain = { sType: STYPE.BIND_IMAGE_MEMORY_SWAPCHAIN_INFO, swapchain: UNKNOWN_SWAPCHAIN, imageIndex: 0 };
    const pNext = [nativeBuffer(buffer), swapchain] as never;
    device.vkBindImageMemory2([{ image, memory: null as never, memoryOffset: 0n, pNext }]);
    return { image, buffer };
  }

  /** The usage bits that the driver wants, by the newest of its commands that answers. */
  usageFor(format: number): bigint {
    for (const [command] of USAGE_COMMANDS) {
      try {
        return this.ask(command, format);
      } catch { // an older driver
        continue;
      }
    }
    return 0n;
  }

  /** Asks for usage bits by one of the commands. Throws what it throws. */
  ask(command: string, format: number): bigint {
    const device = this.#device;
    switch (command) {
      case "vkGetSwapchainGrallocUsage4ANDROID":
        return device.vkGetSwapchainGrallocUsage4ANDROID({ format, imageUsage: IMAGE_USAGE, swapchainImageUsage: 0 });
      case "vkGetSwapchainGrallocUsage3ANDROID":
        return device.vkGetSwapchainGrallocUsage3ANDROID({ format, imageUsage: IMAGE_USAGE });
      case "vkGetSwapchainGrallocUsage2ANDROID": {
        const usage = device.vkGetSwapchainGrallocUsage2ANDROID(format, IMAGE_USAGE, 0);
        return usageFromProducerConsumer(usage.grallocProducerUsage, usage.grallocConsumerUsage);
      }
      default:
        return BigInt(device.vkGetSwapchainGrallocUsageANDROID(format, IMAGE_USAGE) >>> 0);
    }
  }

  #allocate(format: number): GraphicBuffer {
    return allocateBuffer(this.#request(format, SIZE));
  }

  #request(format: number, { width, height }: Size): BufferRequest {
    return { width, height, format: RGBA_8888, usage: this.usageFor(format) | CPU_READ };
  }

  /** Destroys them, and their buffers. */
  close(): void {
    for (const { image, buffer } of this.#made.splice(0)) {
      this.#device.vkDestroyImage(image);
      buffer.close();
    }
  }
}

/** VkNativeBufferANDROID for a buffer, as swapchains have it. */
export function nativeBuffer({ handle, stride, format, usage }: GraphicBuffer) {
  const usage2 = usageToProducerConsumer(usage);
  return {
    sType: STYPE.NATIVE_BUFFER,
    handle,
    stride,
    format,
    usage: usageToGralloc0(usage),
    usage2,
    usage3: usage,
  } as const;
}

/** What the window system makes images by: two dimensions, one of all else, optimal tiling and no flags. */
function imageInfo(format: number, pNext: readonly object[], { width, height }: Size = SIZE) {
  return {
    imageType: 1,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    tiling: 0,
    usage: IMAGE_USAGE,
    sharingMode: 0,
    initialLayout: 0,
    pNext: pNext as never,
  } as const;
}
