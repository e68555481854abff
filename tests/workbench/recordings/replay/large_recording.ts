import { crc32 } from "../../../../workbench/recordings/record/crc32.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";
import {
  VK_API_VERSION_1_0,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
} from "../../../../loader/vk.ts";

const HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
const DEVICE = "VkDevice#1", QUEUE = "VkQueue#1", INSTANCE = "VkInstance#1", GPU = "VkPhysicalDevice#1";
/** Bytes that a frame writes, of which the text has two letters each. vkCmdUpdateBuffer takes no more. */
export const LARGE_FRAME = 65536;

/** An instance, a device and a queue. */
export const SETUP: readonly RecordedLine[] = [
  {
    command: "vkCreateInstance",
    args: { pCreateInfo: { pApplicationInfo: { apiVersion: VK_API_VERSION_1_0 } } },
    out: { pInstance: INSTANCE },
  },
  {
    command: "vkGetPhysicalDeviceMemoryProperties",
    args: { physicalDevice: GPU },
    out: { pMemoryProperties: { memoryTypes: [{ propertyFlags: HOST, heapIndex: 0 }], memoryHeaps: [{ size: "1" }] } },
  },
  {
    command: "vkGetPhysicalDeviceQueueFamilyProperties",
    args: { physicalDevice: GPU },
    out: { pQueueFamilyProperties: [{ queueFlags: VK_QUEUE_GRAPHICS_BIT, queueCount: 1 }] },
  },
  {
    command: "vkCreateDevice",
    args: {
      physicalDevice: GPU,
      pCreateInfo: { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] },
    },
    out: { pDevice: DEVICE },
  },
  {
    command: "vkGetDeviceQueue",
    args: { device: DEVICE, queueFamilyIndex: 0, queueIndex: 0 },
    out: { pQueue: QUEUE },
  },
];

/**
 * A frame with everything that a frame may make: a pool with a command buffer,
 * a buffer with memory, bytes in the text, a submission and a wait. All of that
 * ends with the frame.
 */
function frame(number: number, bytes: string): RecordedLine[] {
  const [pool, commandBuffer, buffer, memory] = ["CommandPool", "CommandBuffer", "Buffer", "DeviceMemory"]
    .map((type) => `Vk${type}#${number}`);
  const pCreateInfo = { size: `${LARGE_FRAME}`, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT, sharingMode: 0 };
  const call = (command: string, args: object, out?: object) => ({ command, args: { device: DEVICE, ...args }, out });
  return [
    call("vkCreateBuffer", { pCreateInfo }, { pBuffer: buffer }),
    call("vkAllocateMemory", { pAllocateInfo: { allocationSize: `${LARGE_FRAME}`, memoryTypeIndex: 0 } }, {
      pMemory: memory,
    }),
    call("vkBindBufferMemory", { buffer, memory, memoryOffset: "0" }),
    call("vkCreateCommandPool", { pCreateInfo: { queueFamilyIndex: 0 } }, { pCommandPool: pool }),
    call("vkAllocateCommandBuffers", {
      pAllocateInfo: { commandPool: pool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 },
    }, { pCommandBuffers: [commandBuffer] }),
    { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: {} } },
    {
      command: "vkCmdUpdateBuffer",
      args: { commandBuffer, dstBuffer: buffer, dstOffset: "0", dataSize: `${LARGE_FRAME}`, pData: { bytes } },
    },
    { command: "vkEndCommandBuffer", args: { commandBuffer } },
    { command: "vkQueueSubmit", args: { queue: QUEUE, pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
    { command: "vkQueueWaitIdle", args: { queue: QUEUE } },
    call("vkDestroyCommandPool", { commandPool: pool }),
    call("vkDestroyBuffer", { buffer }),
    call("vkFreeMemory", { memory }),
  ] as RecordedLine[];
}

/** The end of what {@linkcode SETUP} made. */
export const END: readonly RecordedLine[] = [
  { command: "vkDestroyDevice", args: { device: DEVICE } },
  { command: "vkDestroyInstance", args: { instance: INSTANCE } },
];

/** Writes a recording of some frames, of which each takes 132 KB. Only one frame at a time is in memory. */
export function writeLargeRecording(path: string, frames: number): void {
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  const encoder = new TextEncoder(), bytes = new Uint8Array(LARGE_FRAME);
  let crc = 0, count = 0;
  function put(lines: readonly RecordedLine[]): void {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    crc = crc32(text, crc);
    count += lines.length;
    write(text);
  }
  function write(text: string): void {
    const all = encoder.encode(text);
    for (let at = 0; at < all.length;) at += file.writeSync(all.subarray(at));
  }
  write('{"schema":"pumice-recording","version":1}\n');
  put(SETUP);
  for (let number = 1; number <= frames; number++) put(frame(number, bytes.fill(number).toHex()));
  put(END);
  write(`${JSON.stringify({ lines: count, crc32: crc.toString(16) })}\n`);
}
