import { withOwned } from "../../replay/carry_out.ts";
import { type Copier, copyOut } from "../../replay/copy_out.ts";
import type {
  VkBuffer,
  VkCommandBuffer,
  VkDescriptorSet,
  VkDescriptorSetLayout,
  VkDevice,
  VkImage,
  VkImageAspectFlags,
  VkImageView,
} from "../../../../loader/gen/types_core_gen.ts";
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
} from "../../../../loader/gen/enums_core_gen.js";
import { type ComparedPiece, formatOfPiece } from "./piece.ts";
import { numbersOf, packed } from "./pack.ts";
import { samplesFComp, samplesIComp, samplesUComp } from "./shaders/shaders_gen.ts";

/** The bytes of a texel as a shader reads it. */
const READ = 16;
/** Texels of a workgroup's side. */
export const SIDE = 8;
/** Bytes that are read at once: half of the least size of a storage buffer. */
const AT_ONCE = 1 << 26;
/** Bytes of push constants. */
const PUSHED = 20;
const STAGE = VK_SHADER_STAGE_COMPUTE_BIT;
const USAGE = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
/** Shaders that write one sample of some texels into a buffer, by the kind of their numbers. */
export const SHADERS = { float: samplesFComp, int: samplesIComp, uint: samplesUComp };
const TYPES = [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] as const;

/** The image and the views that samples are read from. */
export interface SampledImage {
  readonly image: VkImage;
  readonly aspect: VkImageAspectFlags;
  /** Makes a layer readable for shaders before and gives it its layout back behind what is recorded. */
  around(commands: VkCommandBuffer, layer: number, record: () => void): void;
}

/** Rows of one sample of a layer. */
interface Band {
  readonly layer: number;
  readonly which: number;
  readonly top: number;
  readonly rows: number;
}

/**
 * Returns the texels of an image of several samples in its format: for each
 * layer all first samples, then all second ones, and so on. A compute shader
 * fetches them, since such images cannot be copied.
 */
export function readSamples(copier: Copier, piece: ComparedPiece, from: SampledImage): Uint8Array<ArrayBuffer> {
  const format = formatOfPiece(piece)!;
  const parts = togethers(piece).map((bands) => packed(format, fetched(copier, { piece, from, bands })));
  const texels = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const part of parts) {
    texels.set(part, start);
    start += part.length;
  }
  return texels;
}

/** All rows of all samples of all layers, in groups that are read at once. */
function togethers({ image }: ComparedPiece): Band[][] {
  const { layers, samples, width, height } = image!, most = Math.max(1, Math.floor(AT_ONCE / (width * READ)));
  const planes = layers.flatMap((layer) => Array.from({ length: samples }, (_, which) => ({ layer, which })));
  const tops = Array.from({ length: Math.ceil(height / most) }, (_, index) => index * most);
  const bands = planes.flatMap((plane) => tops.map((top) => ({ ...plane, top, rows: Math.min(most, height - top) })));
  const each = Math.floor(most / Math.min(most, height));
  return Array.from({ length: Math.ceil(bands.length / each) }, (_, at) => bands.slice(at * each, (at + 1) * each));
}

/** The samples that are fetched at once. */
interface Fetch {
  readonly piece: ComparedPiece;
  readonly from: SampledImage;
  readonly bands: readonly Band[];
}

function fetched(copier: Copier, fetch: Fetch): Uint8Array<ArrayBuffer> {
  const size = fetch.bands.reduce((sum, { rows }) => sum + rows, 0) * fetch.piece.image!.width * READ;
  return withOwned((owned) =>
    copyOut(copier, size, (commands, buffer) => record(copier, owned, fetch, commands, buffer), USAGE)
  );
}

/** Records the commands that fetch bands into a buffer. Their objects live until the device is done. */
function record(
  { device }: Copier,
  owned: DisposableStack,
  { piece, from, bands }: Fetch,
  commands: VkCommandBuffer,
  buffer: VkBuffer,
): void {
  const { width, layers } = piece.image!, { pipeline, layout, setLayout } = pipelineFor(device, owned, piece);
  const sets = setsFor(device, owned, setLayout, layers.length);
  for (const [index, layer] of layers.entries()) {
    const imageView = viewOf(device, owned, piece, from, layer);
    const pImageInfo = [{ imageView, imageLayout: VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL }];
    const infos = [{ pImageInfo }, { pBufferInfo: [{ buffer, offset: 0n, range: VK_WHOLE_SIZE }] }],
      dstSet = sets[index];
    device.vkUpdateDescriptorSets(
      TYPES.map((descriptorType, dstBinding) => ({ dstSet, dstBinding, descriptorType, ...infos[dstBinding] })),
    );
  }
  commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  let first = 0;
  for (const { layer, which, top, rows } of bands) {
    const push = new Uint32Array([which, width, top, rows, first]), set = sets[layers.indexOf(layer)];
    from.around(commands, layer, () => {
      commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
      commands.vkCmdPushConstants(layout, STAGE, 0, push);
      commands.vkCmdDispatch(Math.ceil(width / SIDE), Math.ceil(rows / SIDE), 1);
    });
    first += rows * width;
  }
}

function pipelineFor(device: VkDevice, owned: DisposableStack, piece: ComparedPiece) {
  const setLayout = device.vkCreateDescriptorSetLayout({
    pBindings: TYPES.map((descriptorType, binding) => ({
      binding,
      descriptorType,
      descriptorCount: 1,
      stageFlags: STAGE,
    })),
  });
  owned.defer(() => device.vkDestroyDescriptorSetLayout(setLayout));
  const pPushConstantRanges = [{ stageFlags: STAGE, offset: 0, size: PUSHED }];
  const layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout], pPushConstantRanges });
  owned.defer(() => device.vkDestroyPipelineLayout(layout));
  const module = device.vkCreateShaderModule({ pCode: SHADERS[numbersOf(formatOfPiece(piece)!)]() });
  owned.defer(() => device.vkDestroyShaderModule(module));
  const { pipelines: [pipeline] } = device.vkCreateComputePipelines(null, [{
    stage: { stage: STAGE, module, pName: "main" },
    layout,
  }]);
  owned.defer(() => device.vkDestroyPipeline(pipeline));
  return { pipeline, layout, setLayout };
}

function setsFor(
  device: VkDevice,
  owned: DisposableStack,
  setLayout: VkDescriptorSetLayout,
  maxSets: number,
): readonly VkDescriptorSet[] {
  const pPoolSizes = TYPES.map((type) => ({ type, descriptorCount: maxSets }));
  const descriptorPool = device.vkCreateDescriptorPool({ maxSets, pPoolSizes });
  owned.defer(() => device.vkDestroyDescriptorPool(descriptorPool));
  const pSetLayouts = Array.from({ length: maxSets }, () => setLayout);
  return device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts });
}

/** Makes a view of one layer: only a layer with contents may be in a view that is read. */
function viewOf(
  device: VkDevice,
  owned: DisposableStack,
  { image: facts }: ComparedPiece,
  { image, aspect }: SampledImage,
  baseArrayLayer: number,
): VkImageView {
  const { format, level } = facts!;
  const view = device.vkCreateImageView({
    image,
    viewType: VK_IMAGE_VIEW_TYPE_2D,
    format: format as never,
    subresourceRange: { aspectMask: aspect, baseMipLevel: level, levelCount: 1, baseArrayLayer, layerCount: 1 },
  });
  owned.defer(() => device.vkDestroyImageView(view));
  return view;
}
