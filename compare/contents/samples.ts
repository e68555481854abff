import { type Copier, copyOut } from "../../loader/replay/copy_out.ts";
import type { VkBuffer, VkCommandBuffer, VkImage, VkImageAspectFlags } from "../../loader/gen/types_core_gen.ts";
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_IMAGE_VIEW_TYPE_2D_ARRAY,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_WHOLE_SIZE,
} from "../../loader/vk.ts";
import { type ComparedPiece, formatOfPiece } from "./piece.ts";
import { numbersOf, packed } from "./pack.ts";
import { samplesFComp, samplesIComp, samplesUComp } from "./shaders/shaders_gen.ts";

/** Bytes of what a shader reads of a texel, and texels of a workgroup's side. */
const READ = 16, SIDE = 8;
/** Bytes that are read at once: half of what a storage buffer has at least. */
const AT_ONCE = 1 << 26;
/** Bytes of push constants. */
const PUSHED = 24;
const USAGE = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
const SHADERS = { float: samplesFComp, int: samplesIComp, uint: samplesUComp };
const TYPES = [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] as const;

/** What an image is read from. */
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
  using owned = new DisposableStack();
  const reader = readerOf(copier, owned, piece, from), format = formatOfPiece(piece)!;
  const parts = togethers(piece).map((bands) => packed(format, fetched(copier, reader, bands)));
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

/** What fetches the bands of an image. */
interface Reader {
  readonly width: number;
  /** Records what fetches bands into a buffer. */
  record(commands: VkCommandBuffer, buffer: VkBuffer, bands: readonly Band[]): void;
}

function fetched(copier: Copier, { width, record }: Reader, bands: readonly Band[]): Uint8Array<ArrayBuffer> {
  const rows = bands.reduce((sum, band) => sum + band.rows, 0);
  return copyOut(copier, rows * width * READ, (commands, buffer) => record(commands, buffer, bands), USAGE);
}

function readerOf(
  { device }: Copier,
  owned: DisposableStack,
  piece: ComparedPiece,
  { image, aspect, around }: SampledImage,
): Reader {
  const { width, format, level, layers } = piece.image!, stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  const setLayout = device.vkCreateDescriptorSetLayout({
    pBindings: TYPES.map((descriptorType, binding) => ({ binding, descriptorType, descriptorCount: 1, stageFlags })),
  });
  owned.defer(() => device.vkDestroyDescriptorSetLayout(setLayout));
  const pPushConstantRanges = [{ stageFlags, offset: 0, size: PUSHED }];
  const layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout], pPushConstantRanges });
  owned.defer(() => device.vkDestroyPipelineLayout(layout));
  const module = device.vkCreateShaderModule({ pCode: SHADERS[numbersOf(formatOfPiece(piece)!)]() });
  owned.defer(() => device.vkDestroyShaderModule(module));
  const { pipelines: [pipeline] } = device.vkCreateComputePipelines(null, [{
    stage: { stage: stageFlags, module, pName: "main" },
    layout,
  }]);
  owned.defer(() => device.vkDestroyPipeline(pipeline));
  const view = device.vkCreateImageView({
    image,
    viewType: VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    format: format as never,
    subresourceRange: {
      aspectMask: aspect,
      baseMipLevel: level,
      levelCount: 1,
      baseArrayLayer: 0,
      layerCount: 1 + Math.max(...layers),
    },
  });
  owned.defer(() => device.vkDestroyImageView(view));
  const descriptorPool = device.vkCreateDescriptorPool({
    maxSets: 1,
    pPoolSizes: TYPES.map((type) => ({ type, descriptorCount: 1 })),
  });
  owned.defer(() => device.vkDestroyDescriptorPool(descriptorPool));
  const [set] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
  const pImageInfo = [{ imageView: view, imageLayout: VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL }];
  return {
    width,
    record(commands, buffer, bands) {
      const infos = [{ pImageInfo }, { pBufferInfo: [{ buffer, offset: 0n, range: VK_WHOLE_SIZE }] }];
      device.vkUpdateDescriptorSets(
        TYPES.map((descriptorType, dstBinding) => ({ dstSet: set, dstBinding, descriptorType, ...infos[dstBinding] })),
      );
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [set], []);
      let first = 0;
      for (const { layer, which, top, rows } of bands) {
        const push = new Uint32Array([layer, which, width, top, rows, first]);
        around(commands, layer, () => {
          commands.vkCmdPushConstants(layout, stageFlags, 0, push);
          commands.vkCmdDispatch(Math.ceil(width / SIDE), Math.ceil(rows / SIDE), 1);
        });
        first += rows * width;
      }
    },
  };
}
