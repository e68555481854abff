/**
 * A device with native buffers, and what the tests draw into them.
 *
 * @module
 */
import { loadVulkan, VulkanError, type VulkanOptions } from "../../../loader/mod.ts";
import type {
  VkCommandBuffer,
  VkDevice,
  VkImage,
  VkInstance,
  VkPhysicalDevice,
  VkQueue,
  VkSemaphore,
} from "../../../loader/types.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { type BufferLayout, registerLayout } from "../../../wsi/buffer/layout.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { NativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { halFormatsOfVk } from "../../../wsi/buffer/hal_format.ts";
import { createMessenger, listen, type Messenger } from "../../support/messenger.ts";

const EXTENSIONS = ["VK_ANDROID_native_buffer"];
/** The software drivers that tests run on. */
export const DRIVERS: readonly (readonly [name: string, path: string | undefined])[] = [
  ["lavapipe", lavapipePath()],
  ["SwiftShader", swiftshaderPath()],
];

/** The drivers that the adaptor serves: one with native buffers of its own needs none, and tells of its own. */
export const ADAPTED: typeof DRIVERS = DRIVERS.map(([name, path]) => [name, hasOwnBuffers(path) ? undefined : path]);

/** Whether a driver has native buffers of its own. Those of the set-up have none; one that somebody named is asked. */
function hasOwnBuffers(path: string | undefined): boolean {
  if (path === undefined || path !== Deno.env.get("PUMICE_LAVAPIPE")) return false;
  using vulkan = loadVulkan({ driver: path });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  return gpu.vkEnumerateDeviceExtensionProperties().some(({ extensionName }) => extensionName === EXTENSIONS[0]);
}

/** COLOR_ATTACHMENT, TRANSFER_SRC and TRANSFER_DST. */
export const USAGE = 0x13;
const PRESENT_SRC = 1000001002, GENERAL = 1, ALL = 0x10000;
const WHOLE = { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 };

/** An instance and a device over the adaptor. */
export interface Bench extends Disposable {
  readonly adaptor: NativeBufferAdaptor;
  readonly instance: VkInstance;
  readonly gpu: VkPhysicalDevice;
  readonly device: VkDevice;
  readonly queue: VkQueue;
  /** The messages of validation. */
  readonly messages: readonly string[];
}

/** Opens a driver with the adaptor among these layers. With `validated`, validation's messages are kept. */
export function openBench(
  adaptor: NativeBufferAdaptor,
  { extensions = EXTENSIONS, instanceExtensions = [], validated = false, ...options }: VulkanOptions & {
    readonly extensions?: readonly string[];
    readonly instanceExtensions?: readonly string[];
    readonly validated?: boolean;
  },
): Bench {
  const vulkan = loadVulkan({ layers: [adaptor], ...options });
  const messenger = validated ? createMessenger() : undefined;
  try {
    const enabled = [...validated ? ["VK_EXT_debug_utils"] : [], ...instanceExtensions];
    const instance = vulkan.vkCreateInstance({
      pApplicationInfo: { apiVersion: 0x403000 },
      ppEnabledExtensionNames: enabled,
    });
    const listening = messenger && listen(instance, messenger);
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const device = gpu.vkCreateDevice({
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      ppEnabledExtensionNames: extensions,
      pNext: [{ sType: 53, dynamicRendering: true, synchronization2: true }],
    });
    const queue = device.vkGetDeviceQueue(0, 0);
    const close = () => {
      device.close();
      listening?.[Symbol.dispose]();
      vulkan.close();
      (messenger as Messenger & Disposable | undefined)?.[Symbol.dispose]?.();
    };
    return { adaptor, instance, gpu, device, queue, messages: messenger?.messages ?? [], [Symbol.dispose]: close };
  } catch (error) {
    vulkan.close();
    throw error;
  }
}

/** A buffer laid out as the driver wants it, and an image of it. */
export interface Canvas extends Disposable {
  readonly buffer: GraphicBuffer;
  readonly image: VkImage;
  readonly format: number;
}

/** The gralloc usage that the driver wants. */
export function grallocUsage(device: VkDevice, format: number, usage = USAGE): bigint {
  const { grallocConsumerUsage, grallocProducerUsage } = device.vkGetSwapchainGrallocUsage2ANDROID(format, usage, 0);
  return grallocConsumerUsage | grallocProducerUsage;
}

/** The create info of an image of a buffer. */
export function imageInfo(buffer: GraphicBuffer, format: number, usage = USAGE) {
  const { handle, stride, width, height } = buffer;
  return {
    imageType: 1,
    format,
    extent: { width, height, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    tiling: 0,
    usage,
    sharingMode: 0,
    initialLayout: 0,
    pNext: [{
      sType: 1000010000 as const,
      handle,
      stride,
      format: buffer.format,
      usage: Number(buffer.usage & 0x7fffffffn),
    }],
  } as const;
}

/** Allocates a buffer, by the driver's layout or another one, and makes its image. */
export function openCanvas(
  device: VkDevice,
  format: number,
  width: number,
  height: number,
  layout?: BufferLayout,
): Canvas {
  const rule = layout && registerLayout(() => layout);
  const usage = (rule?.usage ?? grallocUsage(device, format)) | 3n; // CPU_READ_OFTEN: the tests look at it
  const buffer = allocateBuffer({ width, height, format: halFormatsOfVk(format)[0].hal, usage });
  rule?.forget();
  const image = device.vkCreateImage(imageInfo(buffer, format));
  return {
    buffer,
    image,
    format,
    [Symbol.dispose]() {
      device.vkDestroyImage(image);
      buffer.close();
    },
  };
}

/** The struct by which an image is bound to a canvas' buffer. */
export function nativeOf({ buffer: { handle, stride, format } }: Canvas) {
  return { sType: 1000010000 as const, handle, stride, format, usage: 0 };
}

/** An image as an application makes one of a swapchain. */
export function makeAlias({ device }: Pick<Bench, "device">, { buffer }: Canvas): VkImage {
  return device.vkCreateImage({ ...imageInfo(buffer, 37), pNext: [{ sType: 1000060008 as const }] });
}

/** Such an image, bound to the buffer. */
export function aliasOf(bench: Pick<Bench, "device">, canvas: Canvas): VkImage {
  const image = makeAlias(bench, canvas);
  bench.device.vkBindImageMemory2([{ image, memory: null as never, memoryOffset: 0n, pNext: [nativeOf(canvas)] }]);
  return image;
}

/** A rectangle that is drawn, and its color; the rest is cleared with another. */
export interface Picture {
  readonly rect: { x: number; y: number; width: number; height: number };
  readonly color: readonly [number, number, number, number];
  readonly ground: readonly [number, number, number, number];
}

/** A red rectangle on cyan. */
export const PICTURE: Picture = {
  rect: { x: 10, y: 5, width: 20, height: 9 },
  color: [1, 0, 0, 1],
  ground: [0, 1, 1, 1],
};

/** The bytes of red and of cyan, by VkFormat. */
export const FORMATS: Readonly<Record<number, readonly [red: number[], cyan: number[]]>> = {
  37: [[255, 0, 0, 255], [0, 255, 255, 255]], // R8G8B8A8_UNORM
  43: [[255, 0, 0, 255], [0, 255, 255, 255]], // R8G8B8A8_SRGB
  44: [[0, 0, 255, 255], [255, 255, 0, 255]], // B8G8R8A8_UNORM
  4: [[0x00, 0xf8], [0xff, 0x07]], // R5G6B5_UNORM_PACK16
  64: [[0xff, 0x03, 0x00, 0xc0], [0x00, 0xfc, 0xff, 0xff]], // A2B10G10R10_UNORM_PACK32
  97: [[0, 0x3c, 0, 0, 0, 0, 0, 0x3c], [0, 0, 0, 0x3c, 0, 0x3c, 0, 0x3c]], // R16G16B16A16_SFLOAT
  9: [[255], [0]], // R8_UNORM
};

/** A whole frame of the picture: acquire, draw, release, and wait for it. */
export function showFrame(bench: Pick<Bench, "device" | "queue">, canvas: Canvas, acquireFence = -1): void {
  const { device, queue } = bench, acquired = device.vkCreateSemaphore({}), drawn = device.vkCreateSemaphore({});
  device.vkAcquireImageANDROID(canvas.image, acquireFence, acquired);
  {
    using _drawing = draw(bench, canvas, PICTURE, { wait: acquired, signal: drawn });
    using fence = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID([drawn], canvas.image));
    fence.wait();
  }
  device.vkDestroySemaphore(acquired);
  device.vkDestroySemaphore(drawn);
}

/** Records and submits a picture: clear, and a rectangle; the image is in PRESENT_SRC_KHR afterwards. Returns what frees it all. */
export function draw(
  { device, queue }: Pick<Bench, "device" | "queue">,
  { image, format, buffer }: Canvas,
  { rect, color, ground }: Picture,
  submit: { wait?: VkSemaphore; signal?: VkSemaphore } = {},
): Disposable {
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  const view = device.vkCreateImageView({ image, viewType: 1, format, components: {}, subresourceRange: WHOLE });
  const clear = (values: readonly number[]) => ({ float32: [...values] as [number, number, number, number] });
  commands.vkBeginCommandBuffer({});
  move(commands, image, 0, GENERAL);
  commands.vkCmdClearColorImage(image, GENERAL, clear(ground), [WHOLE]);
  move(commands, image, GENERAL, GENERAL);
  commands.vkCmdBeginRendering({
    renderArea: { offset: { x: 0, y: 0 }, extent: { width: buffer.width, height: buffer.height } },
    layerCount: 1,
    viewMask: 0,
    pColorAttachments: [{
      imageView: view,
      imageLayout: GENERAL,
      resolveMode: 0,
      resolveImageLayout: 0,
      loadOp: 0,
      storeOp: 0,
      clearValue: { color: clear(ground) },
    }],
  });
  const { x, y, width, height } = rect;
  commands.vkCmdClearAttachments(
    [{ aspectMask: 1, colorAttachment: 0, clearValue: { color: clear(color) } }],
    [{ rect: { offset: { x, y }, extent: { width, height } }, baseArrayLayer: 0, layerCount: 1 }],
  );
  commands.vkCmdEndRendering();
  move(commands, image, GENERAL, PRESENT_SRC);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{
    pCommandBuffers: [commands],
    ...submit.wait === undefined ? {} : { pWaitSemaphores: [submit.wait], pWaitDstStageMask: [ALL] },
    ...submit.signal === undefined ? {} : { pSignalSemaphores: [submit.signal] },
  }], null);
  return {
    [Symbol.dispose]() {
      queue.vkQueueWaitIdle();
      device.vkDestroyImageView(view);
      device.vkDestroyCommandPool(pool);
    },
  };
}

function move(commands: VkCommandBuffer, image: VkImage, oldLayout: number, newLayout: number): void {
  commands.vkCmdPipelineBarrier(ALL, ALL, 0, null, null, [{
    srcAccessMask: 0x18000,
    dstAccessMask: 0x18000,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: 0xffffffff,
    dstQueueFamilyIndex: 0xffffffff,
    image,
    subresourceRange: WHOLE,
  }]);
}

/** The number of pixels of a buffer that are not those of the picture, by the bytes each color has in the format. */
export function wrongPixels(buffer: GraphicBuffer, { rect }: Picture, color: number[], ground: number[]): number {
  const bytes = buffer.lock(), size = color.length;
  let wrong = 0;
  for (let y = 0; y < buffer.height; y++) {
    for (let x = 0; x < buffer.width; x++) {
      const inside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
      const at = y * buffer.rowPitch + x * size, expected = inside ? color : ground;
      if (expected.some((byte, index) => bytes[at + index] !== byte)) wrong++;
    }
  }
  buffer.unlock();
  return wrong;
}

export { VulkanError };
