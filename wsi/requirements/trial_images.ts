import type { VkDevice, VkImage } from "../../loader/types.ts";
import { IMAGE_USAGE as USAGE_BITS, STYPE, TILING } from "../adaptor/constants.ts";
import { allocateBuffer, allocateGuarded } from "../buffer/gralloc.ts";
import { guardGaps } from "../buffer/guards.ts";
import { USAGE, usageFromProducerConsumer, usageToGralloc0, usageToProducerConsumer } from "../buffer/usage.ts";
import type { BufferRequest } from "../buffer/check_request.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { FORMAT } from "../android_values.ts";
import {
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_TYPE_2D,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../loader/gen/native_gen.ts";

/** The formats that every surface of Android offers. */
export const FORMATS = { unorm: VK_FORMAT_R8G8B8A8_UNORM, srgb: VK_FORMAT_R8G8B8A8_SRGB } as const;
/** The usage of the images that are tried. */
export const IMAGE_USAGE: number = USAGE_BITS.TRANSFER_SRC | USAGE_BITS.TRANSFER_DST | USAGE_BITS.COLOR_ATTACHMENT;
/** A size whose width is neither a power of two nor a multiple of any row alignment. */
const SIZE = { width: 61, height: 37 } as const;
/** A size whose rows are one page each, and whose height is no multiple of a block. */
const SIZE_OF_PAGES = { width: 1024, height: 37 } as const;
/** A swapchain handle of the window system, which means nothing to a driver. */
const UNKNOWN_SWAPCHAIN = 0x10n;
/**
 * The commands that return the usage bits for buffers, with the revision of the extension that introduced each; newest
 * first.
 */
export const USAGE_COMMANDS: readonly (readonly [command: keyof VkDevice & string, revision: number])[] = [
  ["vkGetSwapchainGrallocUsage4ANDROID", 10],
  ["vkGetSwapchainGrallocUsage3ANDROID", 9],
  ["vkGetSwapchainGrallocUsage2ANDROID", 6],
  ["vkGetSwapchainGrallocUsageANDROID", 1],
];

type Size = Pick<BufferRequest, "width" | "height">;

/** A buffer of gralloc's and the image of the buffer. */
export interface TrialImage {
  /** The image. */
  readonly image: VkImage;
  /** The buffer. */
  readonly buffer: GraphicBuffer;
}

/** Makes images of buffers on a device, and owns them. */
export class TrialImages {
  readonly #device: VkDevice;
  readonly #made: TrialImage[] = [];

  /** Makes no image yet. */
  constructor(device: VkDevice) {
    this.#device = device;
  }

  /**
   * Allocates a buffer with the driver's usage bits, and creates the image of the buffer, with more structs in the
   * chain.
   */
  make(format: number = FORMATS.unorm, more: readonly object[] = []): TrialImage {
    return this.#makeOf(this.#allocate(format), format, more);
  }

  /**
   * Makes an image of a buffer whose last row ends at a page that nobody may access. Returns `undefined` if rows cannot
   * end there.
   */
  makeGuarded(): TrialImage | undefined {
    const format = FORMATS.unorm, buffer = allocateGuarded(this.#request(format, SIZE_OF_PAGES));
    if (!buffer) return undefined;
    using _gaps = guardGaps(buffer.memory.size);
    return this.#makeOf(buffer, format, []);
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

  /** Makes an image without memory and then binds the image to a buffer. */
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

  /** The usage bits that the driver wants, from the newest of its commands that answers. */
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

  /** Asks for usage bits with one of the commands. Throws the error of the command. */
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
    return { width, height, format: FORMAT.RGBA_8888, usage: this.usageFor(format) | USAGE.CPU_READ_OFTEN };
  }

  /** Destroys the images and their buffers. */
  close(): void {
    for (const { image, buffer } of this.#made.splice(0)) {
      this.#device.vkDestroyImage(image);
      buffer.close();
    }
  }
}

/** The VkNativeBufferANDROID of a buffer, as swapchains write it. */
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

/**
 * The VkImageCreateInfo of the window system: two dimensions, one layer, level and sample, optimal tiling and no flags.
 */
function imageInfo(format: number, pNext: readonly object[], { width, height }: Size = SIZE) {
  return {
    imageType: VK_IMAGE_TYPE_2D,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT,
    tiling: TILING.OPTIMAL,
    usage: IMAGE_USAGE,
    sharingMode: VK_SHARING_MODE_EXCLUSIVE,
    initialLayout: VK_IMAGE_LAYOUT_UNDEFINED,
    pNext: pNext as never,
  } as const;
}
