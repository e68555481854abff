/**
 * A program that records dispatches into one command buffer and submits it again and again:
 * `dispatching.ts DISPATCHES ENDLESS SUBMISSIONS [END]`. The dispatch with the number ENDLESS, from 1, never ends; 0
 * means that all do. END says what the program does at last: nothing, the name of a signal that it sends to itself,
 * "crash" for reading what is no memory, or "wait" for waiting until it is told to end.
 *
 * @module
 */
import { translate } from "naga-wasm";
import { loadVulkan } from "../../../../../loader/mod.ts";
import type { VkDevice, VkPhysicalDevice } from "../../../../../loader/vk.ts";
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
} from "../../../../../loader/vk.ts";

const source = `
  @group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
  @compute @workgroup_size(1) fn counts() { atomicAdd(&words[1], 1u); }
  @compute @workgroup_size(1) fn endless() {
    for (var i = 0u; i < 65000u; i++) {
      if (atomicLoad(&words[0]) == 77u) { return; }
      atomicAdd(&words[2], 1u);
    }
  }`;
/** Groups of a dispatch, and of one that takes years: drivers on the processor end each loop after 65,535 turns. */
const ONE = [1, 1, 1] as const, ENDLESS = [65535, 65535, 1] as const;
const HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/** Makes the storage buffer with its descriptor set. */
function makeStorage(gpu: VkPhysicalDevice, device: VkDevice) {
  const buffer = device.vkCreateBuffer({ size: 64n, usage: VK_BUFFER_USAGE_STORAGE_BUFFER_BIT });
  const { size: allocationSize, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  const memoryTypeIndex = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.findIndex(({ propertyFlags }, index) =>
    (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & HOST) === HOST
  );
  const memory = device.vkAllocateMemory({ allocationSize, memoryTypeIndex });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE);
  const descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  const setLayout = device.vkCreateDescriptorSetLayout({
    pBindings: [{ binding: 0, descriptorType, descriptorCount: 1, stageFlags }],
  });
  const descriptorPool = device.vkCreateDescriptorPool({
    maxSets: 1,
    pPoolSizes: [{ type: descriptorType, descriptorCount: 1 }],
  });
  const [dstSet] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
  const pBufferInfo = [{ buffer, offset: 0n, range: VK_WHOLE_SIZE }];
  device.vkUpdateDescriptorSets([{ dstSet, dstBinding: 0, descriptorType, pBufferInfo }], []);
  const layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout] });
  const bytes = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, 64));
  bytes.fill(0);
  return { layout, set: dstSet, words: bytes };
}

const [dispatches, endless, submissions] = Deno.args.slice(0, 3).map(Number), end = Deno.args[3] ?? "";
{
  using vulkan = loadVulkan();
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkGetPhysicalDeviceProperties();
  gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const queue = device.vkGetDeviceQueue(0, 0), { layout, set, words } = makeStorage(gpu, device);
  const pCode = translate({ from: "wgsl", to: "spirv", source });
  const module = device.vkCreateShaderModule({ codeSize: pCode.byteLength, pCode });
  const { pipelines: [counts, never] } = device.vkCreateComputePipelines(
    null,
    ["counts", "endless"].map((pName) => ({ stage: { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName }, layout })),
  );
  device.vkDestroyShaderModule(module);
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
  for (let number = 1; number <= dispatches; number++) {
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, number === endless ? never : counts);
    const [x, y, z] = number === endless ? ENDLESS : ONE;
    commands.vkCmdDispatch(x, y, z);
  }
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  for (let count = 0; count < submissions; count++) {
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
    device.vkWaitForFences([fence], true, 2n ** 64n - 1n);
    device.vkResetFences([fence]);
  }
  console.log(`counted ${words[1]}`);
  if (/^SIG/.test(end)) Deno.kill(Deno.pid, end as Deno.Signal);
  if (end === "crash") new Deno.UnsafePointerView(Deno.UnsafePointer.create(8n)!).getUint8();
  if (end === "wait") await new Promise((resolve) => setTimeout(resolve, 60_000));
  device.close();
}
