import { NativeBlock } from "../../ffi/block.ts";
import { triangleVert } from "../../examples/driver/shaders_gen.ts";
import type { VkCommandBuffer, VkDevice, VkInstance, VkQueue } from "../../loader/gen/types_core_gen.ts";
import { pushedFrag } from "../../tests/workbench/runs/testing/shaders/shaders_gen.ts";

/** Render passes of a frame, draws of each pass, and the descriptor sets that the draws use in turns. */
export const PASSES = 10, DRAWS = 100, SETS = 64;
/** Bytes of the buffer that a set shows, and pixels of the target. */
export const SLICE = 256, SIZE = 16;
/** VK_SHADER_STAGE_VERTEX_BIT, FRAGMENT_BIT; VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL; VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER */
export const VERTEX = 1, FRAGMENT = 0x10, ATTACHMENT = 2, UNIFORM = 6;
const RGBA8 = 37, TRIANGLES = 3;

type Pool = ReturnType<VkDevice["vkCreateCommandPool"]>;

/** The objects that a frame is drawn with. They are destroyed with their device. */
export interface FrameScene {
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly commands: VkCommandBuffer;
  readonly fence: ReturnType<VkDevice["vkCreateFence"]>;
  readonly pipelines: ReturnType<VkDevice["vkCreateGraphicsPipelines"]>["pipelines"];
  readonly layout: ReturnType<VkDevice["vkCreatePipelineLayout"]>;
  readonly renderPass: ReturnType<VkDevice["vkCreateRenderPass"]>;
  readonly framebuffer: ReturnType<VkDevice["vkCreateFramebuffer"]>;
  readonly image: ReturnType<VkDevice["vkCreateImage"]>;
  readonly buffer: ReturnType<VkDevice["vkCreateBuffer"]>;
  readonly sets: ReturnType<VkDevice["vkAllocateDescriptorSets"]>;
}

/** Makes all of it. */
export function frameScene(device: VkDevice, instance: VkInstance): FrameScene {
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
  const memoryTypeIndex = Math.max(0, memoryTypes.findIndex(({ propertyFlags }) => (propertyFlags & 2) !== 0));
  const commandPool: Pool = device.vkCreateCommandPool({ flags: 2, queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  const buffer = device.vkCreateBuffer({ size: BigInt(SETS * SLICE), usage: 0x10 | 0x80 });
  const bytes = device.vkAllocateMemory({ allocationSize: BigInt(SETS * SLICE), memoryTypeIndex });
  device.vkBindBufferMemory(buffer, bytes, 0n);
  const image = device.vkCreateImage({
    imageType: 1,
    format: RGBA8,
    extent: { width: SIZE, height: SIZE, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    tiling: 0,
    usage: 0x10,
  });
  const pixels = device.vkAllocateMemory({ allocationSize: 65536n, memoryTypeIndex });
  device.vkBindImageMemory(image, pixels, 0n);
  const renderPass = makePass(device), layouts = makeLayouts(device), layout = makePipelineLayout(device, layouts);
  const pipelines = [0, 1].map(() => makePipeline(device, renderPass, layout));
  const view = device.vkCreateImageView({
    image,
    viewType: 1,
    format: RGBA8,
    subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1 },
  });
  const framebuffer = device.vkCreateFramebuffer({
    renderPass,
    pAttachments: [view],
    width: SIZE,
    height: SIZE,
    layers: 1,
  });
  const descriptorPool = device.vkCreateDescriptorPool({
    maxSets: SETS,
    pPoolSizes: [{ type: UNIFORM, descriptorCount: SETS }],
  });
  const sets = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: Array(SETS).fill(layouts) });
  const queue = device.vkGetDeviceQueue(0, 0), fence = device.vkCreateFence({});
  return { device, queue, commands, fence, pipelines, layout, renderPass, framebuffer, image, buffer, sets };
}

/** The same for a driver that checks nothing: made-up handles, except for those that commands are called on. */
export function fakeScene(device: VkDevice): FrameScene {
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  const some = 8n as never, sets = Array(SETS).fill(some);
  const handles = { fence: some, layout: some, renderPass: some, framebuffer: some, image: some, buffer: some };
  return { device, queue: device.vkGetDeviceQueue(0, 0), commands, pipelines: [some, some], sets, ...handles };
}

function makeLayouts(device: VkDevice) {
  return device.vkCreateDescriptorSetLayout({
    pBindings: [{ binding: 0, descriptorType: UNIFORM, descriptorCount: 1, stageFlags: FRAGMENT }],
  });
}

function makePipelineLayout(device: VkDevice, setLayout: ReturnType<typeof makeLayouts>) {
  return device.vkCreatePipelineLayout({
    pSetLayouts: [setLayout],
    pPushConstantRanges: [{ stageFlags: FRAGMENT, size: 16 }],
  });
}

function makePass(device: VkDevice) {
  return device.vkCreateRenderPass({
    pAttachments: [{
      format: RGBA8,
      samples: 1,
      loadOp: 0,
      storeOp: 0,
      stencilLoadOp: 2,
      stencilStoreOp: 1,
      initialLayout: ATTACHMENT,
      finalLayout: ATTACHMENT,
    }],
    pSubpasses: [{ pColorAttachments: [{ attachment: 0, layout: ATTACHMENT }] }],
  });
}

function makePipeline(
  device: VkDevice,
  renderPass: FrameScene["renderPass"],
  layout: FrameScene["layout"],
): FrameScene["pipelines"][number] {
  const module = (code: Uint32Array) => device.vkCreateShaderModule({ codeSize: code.byteLength, pCode: code });
  const extent = { width: SIZE, height: SIZE };
  return device.vkCreateGraphicsPipelines(null, [{
    pStages: [
      { stage: VERTEX, module: module(triangleVert()), pName: "main" },
      { stage: FRAGMENT, module: module(pushedFrag()), pName: "main" },
    ],
    pVertexInputState: {},
    pInputAssemblyState: { topology: TRIANGLES },
    pViewportState: {
      pViewports: [{ x: 0, y: 0, ...extent, minDepth: 0, maxDepth: 1 }],
      pScissors: [{ offset: { x: 0, y: 0 }, extent }],
    },
    pRasterizationState: { lineWidth: 1 },
    pMultisampleState: { rasterizationSamples: 1 },
    pColorBlendState: { pAttachments: [{ colorWriteMask: 0xf }] },
    layout,
    renderPass,
  }]).pipelines[0];
}

/** The functions that bench/c/frame.c calls, in its order. */
const FUNCTIONS = [
  "vkBeginCommandBuffer",
  "vkEndCommandBuffer",
  "vkUpdateDescriptorSets",
  "vkCmdPipelineBarrier",
  "vkCmdBeginRenderPass",
  "vkCmdEndRenderPass",
  "vkCmdBindPipeline",
  "vkCmdBindDescriptorSets",
  "vkCmdBindVertexBuffers",
  "vkCmdPushConstants",
  "vkCmdDraw",
  "vkQueueSubmit",
  "vkWaitForFences",
  "vkResetFences",
];

/** The same for C, in memory that stays. */
export function sceneInMemory(scene: FrameScene): bigint {
  const { device, queue, commands, pipelines, layout, renderPass, framebuffer, image, buffer, fence, sets } = scene;
  const block = new NativeBlock(4096), setsAt = block.address + 2048n;
  const handles = [queue.handle, commands.handle, fence, ...pipelines, layout, renderPass, framebuffer, image, buffer];
  const words = [device.handle, ...handles, setsAt, ...FUNCTIONS.map((name) => device.vkGetDeviceProcAddr(name))];
  words.forEach((word, index) => block.view.setBigUint64(8 * index, word, true));
  sets.forEach((set, index) => block.view.setBigUint64(2048 + 8 * index, set, true));
  return block.address;
}
