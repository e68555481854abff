/**
 * Recordings that tests replay: of the demo's picture, and of a small program.
 *
 * @module
 */
import { createRenderer } from "../../../../examples/draw/renderer.ts";
import type { VkImage, VkInstance, VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import {
  apiRecording,
  type RecordedStream,
  type ReplayOptions,
  replayRecording,
  type ReplayReport,
} from "../../../../workbench/layers.ts";
import { defineLayer, type Layer, loadVulkan } from "../../../../loader/mod.ts";
import type { VulkanOptions } from "../../../../loader/options.ts";
import { VK_API_VERSION_1_0 } from "../../../../loader/vk.ts";
import { freshMemory } from "./fresh_memory.ts";

/** The size of the demo's picture. */
export const SIZE = { width: 64, height: 36 };
/** The columns of the demo that most recordings have: enough for all of its kinds. */
const FEW_COLUMNS = 300;

/** Records what a program does with an instance; returns what it returns. */
export function recorded<T>(
  path: string,
  options: VulkanOptions,
  program: (instance: VkInstance) => T,
  extensions: readonly string[] = [],
  above: readonly Layer[] = [],
): T {
  using recording = apiRecording({ path });
  const result = run([...above, recording.layer], options, program, extensions);
  recording.close();
  if (recording.error !== undefined) throw recording.error;
  if (recording.gaps.length > 0) throw new Error(recording.gaps.join("\n"));
  return result;
}

function run<T>(
  layers: readonly Layer[],
  options: VulkanOptions,
  program: (instance: VkInstance) => T,
  ppEnabledExtensionNames: readonly string[] = [],
): T {
  using vulkan = loadVulkan({ ...options, layers: [...layers, ...options.layers ?? [], freshMemory()] });
  using instance = vulkan.vkCreateInstance({
    pApplicationInfo: { apiVersion: VK_API_VERSION_1_0 },
    ppEnabledExtensionNames: [...ppEnabledExtensionNames],
  });
  return program(instance);
}

/** Draws the demo's first frame. */
function draw(instance: VkInstance, size = SIZE): Uint8Array {
  using renderer = createRenderer(instance.vkEnumeratePhysicalDevices()[0], size, () => {});
  return renderer.draw(0);
}

/**
 * A layer that leaves out most of the demo's columns, whose vertices keep a software driver for nearly all of a
 * small frame: a comparison or a history draws the frame again and again.
 */
function fewColumns(): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_few_columns",
    commands: {
      vkCmdDrawIndexed: (next, commands, indices, instances, ...rest) =>
        next(commands, indices, Math.min(instances, FEW_COLUMNS), ...rest),
    },
  });
}

/** Records the demo's first frame with a few of its columns; returns its pixels. */
export function recordDemo(path: string, driver: string): Uint8Array {
  return recorded(path, { driver }, draw, [], [fewColumns()]);
}

/** Records the demo's first frame in a size, with all columns; returns its pixels. */
export function recordWholeDemo(path: string, driver: string, size: typeof SIZE): Uint8Array {
  return recorded(path, { driver }, (instance) => draw(instance, size));
}

/** The pixels of the demo's first frame with a few of its columns, which nothing records. */
export function drawDemo(driver: string): Uint8Array {
  return run([fewColumns()], { driver }, draw);
}

/** Replays; returns what can be read last and what was done. */
export function replayed(
  options: VulkanOptions,
  recording: string | RecordedStream,
  more: ReplayOptions = {},
): { pixels: Uint8Array; report: ReplayReport } {
  let pixels: Uint8Array | undefined;
  const report = replayRecording(options, recording, { ...more, onRead: (read) => pixels = read.replayed });
  if (!pixels) throw new Error("the replay could read nothing");
  return { pixels, report };
}

/** All of a colour image, and what every barrier for it says. */
export function wholeOf(image: VkImage) {
  const range = { aspectMask: 1, levelCount: 1, layerCount: 1 }, IGNORED = 0xffff_ffff;
  const barrier = { srcQueueFamilyIndex: IGNORED, dstQueueFamilyIndex: IGNORED, image, subresourceRange: range };
  return { range, barrier };
}

/** VkMemoryPropertyFlagBits and VkBufferUsageFlagBits. */
const HOST_VISIBLE_COHERENT = 6, TRANSFER_DST = 2;
/** Bytes of a texel, and texels of the image that {@linkcode clearAndRead} clears. */
const TEXEL = 4, SIDE = 8;

/** Clears an image to a colour, copies it to a buffer and returns the first texel. */
export function clearAndRead(gpu: VkPhysicalDevice, float32: readonly [number, number, number, number]): number[] {
  using owned = new DisposableStack();
  const device = owned.use(gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] }));
  const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties(), queue = device.vkGetDeviceQueue(0, 0);
  const image = device.vkCreateImage({
    imageType: 1,
    format: 37, // VK_FORMAT_R8G8B8A8_UNORM
    extent: { width: SIDE, height: SIDE, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    usage: 3, // transfers
  });
  owned.defer(() => device.vkDestroyImage(image));
  const buffer = device.vkCreateBuffer({ size: BigInt(TEXEL * SIDE * SIDE), usage: TRANSFER_DST });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const allocate = ({ size, memoryTypeBits }: { size: bigint; memoryTypeBits: number }, wanted: number) => {
    const memoryTypeIndex = memoryTypes.findIndex(({ propertyFlags }, index) =>
      (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & wanted) === wanted
    );
    const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
    owned.defer(() => device.vkFreeMemory(memory));
    return memory;
  };
  device.vkBindImageMemory(image, allocate(device.vkGetImageMemoryRequirements(image), 0), 0n);
  const memory = allocate(device.vkGetBufferMemoryRequirements(buffer), HOST_VISIBLE_COHERENT);
  device.vkBindBufferMemory(buffer, memory, 0n);
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  owned.defer(() => device.vkDestroyCommandPool(pool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  const { range, barrier } = wholeOf(image);
  const [GENERAL, TRANSFER, WRITE, READ, HOST, HOST_READ] = [1, 0x1000, 0x1000, 0x800, 0x4000, 0x2000];
  commands.vkBeginCommandBuffer({});
  commands.vkCmdPipelineBarrier(TRANSFER, TRANSFER, 0, [], [], [{
    ...barrier,
    dstAccessMask: WRITE,
    newLayout: GENERAL,
  }]);
  commands.vkCmdClearColorImage(image, GENERAL, { float32: [...float32] }, [range]);
  const written = {
    ...barrier,
    srcAccessMask: WRITE,
    dstAccessMask: READ,
    oldLayout: GENERAL,
    newLayout: GENERAL,
  } as const;
  commands.vkCmdPipelineBarrier(TRANSFER, TRANSFER, 0, [], [], [written]);
  commands.vkCmdCopyImageToBuffer(image, GENERAL, buffer, [{
    imageSubresource: { aspectMask: 1, layerCount: 1 },
    imageExtent: { width: SIDE, height: SIDE, depth: 1 },
  }]);
  commands.vkCmdPipelineBarrier(TRANSFER, HOST, 0, [{ srcAccessMask: WRITE, dstAccessMask: HOST_READ }], [], []);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
  queue.vkQueueWaitIdle();
  const mapped = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, 2n ** 64n - 1n))!;
  return [...new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(mapped, TEXEL).slice(0))];
}
