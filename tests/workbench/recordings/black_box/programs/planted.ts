/**
 * A program with many commands, one of which is at fault: `planted.ts FAULT COMMANDS SUBMISSIONS`. Each submission has so
 * many fills, updates, copies, dispatches and draws; the fault is amid those of the submission in the middle. FAULT is
 * one of planted_layer.ts, or "dispatch hangs", "event hangs", "draw message" or "sampler message", which need no layer.
 *
 * @module
 */
import { translate } from "naga-wasm";
import { loadVulkan } from "../../../../../loader/mod.ts";
import * as vk from "../../../../../loader/vk.ts";
import { PLANTED } from "./planted_numbers.ts";

const [fault, ...numbers] = Deno.args, [count, submissions] = numbers.map(Number);
const SIZE = 4096n, SIDE = 16;
const source = `
  @group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
  @compute @workgroup_size(1) fn counts() { atomicAdd(&words[1], 1u); }
  @compute @workgroup_size(1) fn endless() {
    for (var i = 0u; i < 65000u; i++) {
      if (atomicLoad(&words[0]) == 77u) { return; }
      atomicAdd(&words[2], 1u);
    }
  }`;
const drawn = `
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i % 3u) - 1.0, f32(i / 3u) - 1.0, 0.0, 1.0);
  }
  @fragment fn color() -> @location(0) vec4f { return vec4f(0.25, 0.5, 0.75, 1.0); }`;

using vulkan = loadVulkan();
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
gpu.vkGetPhysicalDeviceProperties();
gpu.vkGetPhysicalDeviceQueueFamilyProperties();
const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
const queue = device.vkGetDeviceQueue(0, 0);

function memoryFor({ size, memoryTypeBits }: { size: bigint; memoryTypeBits: number }) {
  const memoryTypeIndex = memoryTypes.findIndex(({ propertyFlags }, index) =>
    (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) !== 0
  );
  return device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
}

function makeBuffer() {
  const usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT |
    vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const buffer = device.vkCreateBuffer({ size: SIZE, usage });
  device.vkBindBufferMemory(buffer, memoryFor(device.vkGetBufferMemoryRequirements(buffer)), 0n);
  return buffer;
}

function shaderOf(text: string) {
  const pCode = translate({ from: "wgsl", to: "spirv", source: text });
  return device.vkCreateShaderModule({ codeSize: pCode.byteLength, pCode });
}

const from = makeBuffer(), to = makeBuffer();
const setLayout = device.vkCreateDescriptorSetLayout({
  pBindings: [{
    binding: 0,
    descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    descriptorCount: 1,
    stageFlags: vk.VK_SHADER_STAGE_COMPUTE_BIT,
  }],
});
const pPoolSizes = [{ type: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1 }];
const descriptorPool = device.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes });
const [set] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
device.vkUpdateDescriptorSets([{
  dstSet: set,
  dstBinding: 0,
  descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  pBufferInfo: [{ buffer: to, offset: 0n, range: vk.VK_WHOLE_SIZE }],
}], []);
const layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout] }), computing = shaderOf(source);
const { pipelines: [counts, endless] } = device.vkCreateComputePipelines(
  null,
  ["counts", "endless"].map((pName) => ({
    stage: { stage: vk.VK_SHADER_STAGE_COMPUTE_BIT, module: computing, pName },
    layout,
  })),
);

const format = vk.VK_FORMAT_R8G8B8A8_UNORM, final = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
const image = device.vkCreateImage({
  imageType: vk.VK_IMAGE_TYPE_2D,
  format,
  extent: { width: SIDE, height: SIDE, depth: 1 },
  mipLevels: 1,
  arrayLayers: 1,
  samples: vk.VK_SAMPLE_COUNT_1_BIT,
  usage: vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
});
device.vkBindImageMemory(image, memoryFor(device.vkGetImageMemoryRequirements(image)), 0n);
const view = device.vkCreateImageView({
  image,
  viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
  format,
  subresourceRange: { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 },
});
const renderPass = device.vkCreateRenderPass({
  pAttachments: [{
    format,
    samples: vk.VK_SAMPLE_COUNT_1_BIT,
    loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
    storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
    stencilLoadOp: vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    stencilStoreOp: vk.VK_ATTACHMENT_STORE_OP_DONT_CARE,
    finalLayout: final,
  }],
  pSubpasses: [{ pColorAttachments: [{ attachment: 0, layout: final }] }],
});
const framebuffer = device.vkCreateFramebuffer({
  renderPass,
  pAttachments: [view],
  width: SIDE,
  height: SIDE,
  layers: 1,
});
const drawing = shaderOf(drawn), dynamic = [vk.VK_DYNAMIC_STATE_SCISSOR];
const { pipelines: [draws] } = device.vkCreateGraphicsPipelines(null, [{
  pStages: [
    { stage: vk.VK_SHADER_STAGE_VERTEX_BIT, module: drawing, pName: "corner" },
    { stage: vk.VK_SHADER_STAGE_FRAGMENT_BIT, module: drawing, pName: "color" },
  ],
  pVertexInputState: {},
  pInputAssemblyState: { topology: vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
  pViewportState: {
    pViewports: [{ width: SIDE, height: SIDE, maxDepth: 1 }],
    pScissors: [{ extent: { width: SIDE, height: SIDE } }],
  },
  pRasterizationState: { lineWidth: 1 },
  pMultisampleState: { rasterizationSamples: vk.VK_SAMPLE_COUNT_1_BIT },
  pColorBlendState: { pAttachments: [{ colorWriteMask: 15 }] },
  pDynamicState: { pDynamicStates: dynamic },
  layout,
  renderPass,
}]);

const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 }), fence = device.vkCreateFence({});
const event = device.vkCreateEvent({}), ALL = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
const region = { srcOffset: 0n, dstOffset: 256n, size: 16n };

/** Records the n-th command of many, or the one at fault. */
function record(commands: vk.VkCommandBuffer, number: number, isFault: boolean): void {
  const kind = isFault ? fault.split(" ")[0] : ["fill", "update", "copy", "dispatch", "draw"][number % 5];
  if (kind === "fill") commands.vkCmdFillBuffer(to, 512n, 64n, isFault ? PLANTED.word : number);
  if (kind === "update") {
    commands.vkCmdUpdateBuffer(to, BigInt(isFault ? PLANTED.offset : 40), new Uint32Array([number]));
  }
  if (kind === "copy") {
    commands.vkCmdCopyBuffer(
      from,
      to,
      Array(isFault ? PLANTED.regions : 1).fill(0).map((_, i) => ({
        ...region,
        dstOffset: region.dstOffset + BigInt(16 * i),
      })),
    );
  }
  if (kind === "event") commands.vkCmdWaitEvents([event], vk.VK_PIPELINE_STAGE_HOST_BIT, ALL, [], [], []);
  if (kind === "sampler") device.vkCreateSampler({ mipLodBias: 1e9 });
  if (kind === "dispatch") {
    commands.vkCmdBindDescriptorSets(vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
    commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_COMPUTE, isFault ? endless : counts);
    commands.vkCmdDispatch(isFault ? 65535 : 1, isFault ? 65535 : 1, 1);
  }
  if (kind === "draw") pass(commands, isFault);
}

/** A pass of ten draws. */
function pass(commands: vk.VkCommandBuffer, isFault: boolean): void {
  const extent = { width: SIDE, height: SIDE }, offset = { x: isFault && fault === "draw message" ? -1 : 0, y: 0 };
  const renderArea = { extent }, pClearValues = [{ color: { float32: [0, 0, 0, 1] as const } }];
  commands.vkCmdBeginRenderPass({ renderPass, framebuffer, renderArea, pClearValues }, vk.VK_SUBPASS_CONTENTS_INLINE);
  commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, draws);
  for (let draw = 0; draw < 10; draw++) {
    commands.vkCmdSetScissor(0, [{ extent, offset: draw === 6 ? offset : { x: 0, y: 0 } }]);
    commands.vkCmdDraw(isFault && fault === "draw lost" && draw === 6 ? PLANTED.vertices : 3, 1, 0, 0);
  }
  commands.vkCmdEndRenderPass();
}

const middle = Math.floor(submissions / 2);
try {
  for (let each = 0; each < submissions; each++) {
    const level = vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    const [commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
    commands.vkBeginCommandBuffer({});
    for (let number = 0; number < count; number++) record(commands, number, each === middle && number === count >> 1);
    commands.vkEndCommandBuffer();
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
    device.vkWaitForFences([fence], true, 2n ** 64n - 1n);
    device.vkResetFences([fence]);
  }
} catch (error) {
  console.error(`${error}`);
}
// Messages are looked for while the program goes on.
if (fault.endsWith("message")) await new Promise((resolve) => setTimeout(resolve, 1000));
