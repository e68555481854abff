import {
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
  type VkDescriptorSet,
  type VkDescriptorSetLayout,
  type VkDescriptorType,
  type VkImageLayout,
  type VkPipelineLayout,
  type VkSampler,
} from "@pumice/gfx/vk";
import type { Gpu } from "./gpu.ts";
import type { HostBuffer, Resources, Texture } from "./resources.ts";

/** The resources that all pipelines see. */
export interface Bindings {
  /** The one descriptor set. */
  readonly set: VkDescriptorSet;
  /** The layout of the set, with the push constants. */
  readonly layout: VkPipelineLayout;
}

const GRAPHICS = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
const COMPUTE = VK_SHADER_STAGE_COMPUTE_BIT;

interface Binding {
  readonly type: VkDescriptorType;
  readonly stages: number;
  readonly buffer?: HostBuffer;
  readonly texture?: Texture;
  readonly sampler?: VkSampler;
  readonly layout?: VkImageLayout;
}

/** The bindings in order, as scene.ts lists them. */
function bindingsOf({ buffers, textures, samplers }: Resources): Binding[] {
  const sampled = { type: VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, layout: VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
  const stored = { type: VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, layout: VK_IMAGE_LAYOUT_GENERAL, stages: COMPUTE };
  const shadowLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
  return [
    { type: VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, stages: GRAPHICS | COMPUTE, buffer: buffers.frame },
    { ...sampled, stages: GRAPHICS | COMPUTE, texture: textures.rock, sampler: samplers.repeat },
    {
      ...sampled,
      stages: VK_SHADER_STAGE_FRAGMENT_BIT,
      texture: textures.shadow,
      sampler: samplers.exact,
      layout: shadowLayout,
    },
    { ...sampled, stages: COMPUTE, texture: textures.light, sampler: samplers.smooth },
    { ...sampled, stages: COMPUTE, texture: textures.glow, sampler: samplers.smooth },
    { ...stored, texture: textures.rock },
    { ...stored, texture: textures.glow },
    { type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, stages: COMPUTE, buffer: buffers.picture },
  ];
}

/** Makes the descriptor set and the layouts. */
export function makeBindings(gpu: Gpu, resources: Resources): Bindings {
  const { device } = gpu, bindings = bindingsOf(resources);
  const setLayout = device.vkCreateDescriptorSetLayout({
    pBindings: bindings.map(({ type, stages }, binding) => ({
      binding,
      descriptorType: type,
      descriptorCount: 1,
      stageFlags: stages,
    })),
  });
  const layout = device.vkCreatePipelineLayout({
    pSetLayouts: [setLayout],
    pPushConstantRanges: [{ stageFlags: GRAPHICS, size: 4 }],
  });
  gpu.owned.defer(() => device.vkDestroyDescriptorSetLayout(setLayout));
  gpu.owned.defer(() => device.vkDestroyPipelineLayout(layout));
  return { set: makeSet(gpu, setLayout, bindings), layout };
}

function makeSet(
  { device, owned }: Gpu,
  setLayout: VkDescriptorSetLayout,
  bindings: readonly Binding[],
): VkDescriptorSet {
  const pPoolSizes = bindings.map(({ type }) => ({ type, descriptorCount: 1 }));
  const descriptorPool = device.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes });
  owned.defer(() => device.vkDestroyDescriptorPool(descriptorPool));
  const [dstSet] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
  const writes = bindings.map(({ type, buffer, texture, sampler, layout }, dstBinding) => ({
    dstSet,
    dstBinding,
    descriptorCount: 1,
    descriptorType: type,
    pBufferInfo: buffer && [{ buffer: buffer.buffer, range: BigInt(buffer.bytes.length) }],
    pImageInfo: texture && [{ sampler, imageView: texture.view, imageLayout: layout }],
  }));
  device.vkUpdateDescriptorSets(writes, []);
  return dstSet;
}
