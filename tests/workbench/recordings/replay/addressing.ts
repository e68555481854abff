/**
 * A program whose shader finds its data by addresses: in push constants, and in
 * a table that lies in a buffer.
 *
 * @module
 */
import type { VkBuffer, VkDevice, VkPhysicalDevice } from "../../../../loader/gen/types_core_gen.ts";
import { apiRecording } from "../../../../workbench/layers.ts";
import { type Layer, loadVulkan } from "../../../../loader/mod.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_SHADER_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_API_VERSION_1_2,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
} from "../../../../loader/vk.ts";
import { compileShader } from "../../../support/compile_shader.ts";
import { hostType } from "./filling.ts";

/** `to` and `from` are 8-byte addresses, and the table gets one from the shader. */
const GLSL = `#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 16) in;
layout(buffer_reference, std430) buffer Words { uint words[]; };
layout(buffer_reference, std430) buffer Table { Words to; Words from; Words copy; };
layout(push_constant) uniform Push { Table table; Words first; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  table.to.words[i] = table.from.words[i] * 3 + first.words[i];
  if (i == 0) table.copy = table.from;
}
`;

/** Numbers that a dispatch computes, and bytes of each buffer. */
const COUNT = 16, BYTES = 256;
/** Offset in memory of the buffer with the table. */
export const TABLE = 256;
const INPUT = 0, OUTPUT = 512, STAGING = 768;

/** The way of the table with addresses into its buffer. */
export type Way = "host" | "update" | "copy";

/** Feature structs that the device is made with. */
const FEATURES = [{ sType: 51, bufferDeviceAddress: true }]; // VkPhysicalDeviceVulkan12Features

/**
 * Records the program. Calls `use` with what the program read, while the
 * device lives, so that a replay gets other memory.
 */
export function recordAddressing(
  path: string,
  { driver, layers = [] }: { readonly driver?: string; readonly layers?: readonly Layer[] },
  way: Way,
  use: (read: readonly (readonly number[])[]) => void,
): void {
  using recording = apiRecording({ path });
  using vulkan = loadVulkan({ driver, layers: [recording.layer, ...layers] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_2 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({
    pNext: FEATURES as never,
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  using owned = new DisposableStack();
  const read = run(gpu, device, way, owned);
  recording.close();
  if (recording.error !== undefined) throw recording.error;
  if (recording.gaps.length > 0) throw new Error(recording.gaps.join("\n"));
  use(read);
}

function run(gpu: VkPhysicalDevice, device: VkDevice, way: Way, owned: DisposableStack): number[][] {
  const { memory, bytes } = memoryOf(gpu, device, owned), words = new Uint32Array(bytes.buffer);
  const [input, table, output] = [INPUT, TABLE, OUTPUT].map((at) => bufferAt(device, memory, at, owned));
  const staging = bufferAt(device, memory, STAGING, owned);
  const [first, push, to] = [input, table, output].map((buffer) => device.vkGetBufferDeviceAddress({ buffer }));
  for (let index = 0; index < BYTES / 4; index++) words[INPUT / 4 + index] = index * index + 7;
  const layout = device.vkCreatePipelineLayout({
    pPushConstantRanges: [{ stageFlags: VK_SHADER_STAGE_COMPUTE_BIT, offset: 0, size: 16 }],
  });
  owned.defer(() => device.vkDestroyPipelineLayout(layout));
  const module = device.vkCreateShaderModule({ pCode: compileShader(GLSL, "vulkan1.2") });
  owned.defer(() => device.vkDestroyShaderModule(module));
  const { pipelines: [pipeline] } = device.vkCreateComputePipelines(null, [{
    stage: { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" },
    layout,
  }]);
  owned.defer(() => device.vkDestroyPipeline(pipeline));
  const commandPool = device.vkCreateCommandPool({
    queueFamilyIndex: 0,
    flags: VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  });
  owned.defer(() => device.vkDestroyCommandPool(commandPool));
  const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, queue = device.vkGetDeviceQueue(0, 0);
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
  // The second time only one byte of the address is another.
  return [64n, 128n].map((offset) => {
    const data = new BigUint64Array([to, first + offset]);
    commands.vkBeginCommandBuffer({});
    if (way === "host") new BigUint64Array(bytes.buffer, TABLE, 2).set(data);
    if (way === "update") commands.vkCmdUpdateBuffer(table, 0n, new Uint8Array(data.buffer));
    if (way === "copy") {
      new BigUint64Array(bytes.buffer, STAGING, 2).set(data);
      commands.vkCmdCopyBuffer(staging, table, [{ srcOffset: 0n, dstOffset: 0n, size: 16n }]);
    }
    commands.vkCmdPipelineBarrier(
      VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
      0,
      [{
        srcAccessMask: VK_ACCESS_TRANSFER_WRITE_BIT,
        dstAccessMask: VK_ACCESS_SHADER_READ_BIT,
      }],
      [],
      [],
    );
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const constants = new Uint8Array(new BigUint64Array([push, first]).buffer);
    commands.vkCmdPushConstants(layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, constants);
    commands.vkCmdDispatch(1, 1, 1);
    commands.vkCmdPipelineBarrier(
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
      VK_PIPELINE_STAGE_HOST_BIT,
      0,
      [{
        srcAccessMask: VK_ACCESS_SHADER_WRITE_BIT,
        dstAccessMask: VK_ACCESS_HOST_READ_BIT,
      }],
      [],
      [],
    );
    commands.vkEndCommandBuffer();
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
    queue.vkQueueWaitIdle();
    return [...words.subarray(OUTPUT / 4, OUTPUT / 4 + COUNT)];
  });
}

/** Mapped memory for all buffers. */
function memoryOf(gpu: VkPhysicalDevice, device: VkDevice, owned: DisposableStack) {
  const memory = device.vkAllocateMemory({
    pNext: [{ sType: 1000060000, flags: VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT }], // VkMemoryAllocateFlagsInfo
    allocationSize: 4096n,
    memoryTypeIndex: hostType(gpu),
  });
  owned.defer(() => device.vkFreeMemory(memory));
  const at = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE))!;
  const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(at, 4096));
  return { memory, bytes: bytes.fill(0) };
}

function bufferAt(device: VkDevice, memory: bigint, at: number, owned: DisposableStack): VkBuffer {
  const usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const buffer = device.vkCreateBuffer({ size: BigInt(BYTES), usage });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  device.vkBindBufferMemory(buffer, memory as never, BigInt(at));
  return buffer;
}

/** The numbers that the shader computes, by the specification of the arithmetic alone. */
export function expected(offset: number): number[] {
  const input = (index: number) => index * index + 7;
  return Array.from({ length: COUNT }, (_, index) => input(offset / 4 + index) * 3 + input(index));
}
