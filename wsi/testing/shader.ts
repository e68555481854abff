import { list, object, type OptionRules } from "../../ffi/check_options.ts";
import type {
  VkCommandBuffer,
  VkDescriptorSet,
  VkDescriptorSetLayout,
  VkPipelineBindPoint,
  VkPipelineLayout,
  VkPipelineShaderStageCreateInfo,
} from "../../loader/types.ts";
import type { GpuBuffer } from "./buffer.ts";
import type { Workbench } from "./workbench.ts";

/** VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_WHOLE_SIZE */
const STORAGE_BUFFER = 7, WHOLE_SIZE = 2n ** 64n - 1n;

/** What shaders of a test see: storage buffers at bindings 0, 1, … of set 0, and push constants. */
export interface ShaderInputs {
  /** By binding. */
  readonly buffers?: readonly GpuBuffer[];
  /** Push constants from offset 0. */
  readonly push?: ArrayBufferView;
}

/** Which inputs of shaders there are, and what fits. */
export const INPUT_RULES: OptionRules<ShaderInputs> = {
  buffers: list("a list of buffers", object("what buffer() returns")),
  push: (value) => ArrayBuffer.isView(value) ? undefined : "a typed array",
};

/** A layout for inputs, and what binds them. */
export interface BoundInputs {
  /** The pipeline's layout. */
  readonly layout: VkPipelineLayout;
  /** Its descriptor sets: one, or none. */
  readonly sets: VkDescriptorSet[];
}

/** A stage of a pipeline, from words of SPIR-V with the entry point `main`. */
export function shaderStage(
  { device, owned }: Workbench,
  pCode: Uint32Array,
  stage: number,
): VkPipelineShaderStageCreateInfo {
  const module = device.vkCreateShaderModule({ pCode });
  owned.defer(() => device.vkDestroyShaderModule(module));
  return { stage, module, pName: "main" };
}

/** Makes the layout of a pipeline and the set of its buffers. */
export function bindInputs(bench: Workbench, { buffers = [], push }: ShaderInputs, stageFlags: number): BoundInputs {
  const { device, owned } = bench, bindings = buffers.map((_, binding) => ({ binding, stageFlags, ...ONE }));
  const setLayout = device.vkCreateDescriptorSetLayout({ pBindings: bindings });
  owned.defer(() => device.vkDestroyDescriptorSetLayout(setLayout));
  const layout = device.vkCreatePipelineLayout({
    pSetLayouts: [setLayout],
    pPushConstantRanges: push ? [{ stageFlags, size: push.byteLength }] : [],
  });
  owned.defer(() => device.vkDestroyPipelineLayout(layout));
  return { layout, sets: buffers.length > 0 ? [makeSet(bench, setLayout, buffers)] : [] };
}

const ONE = { descriptorType: STORAGE_BUFFER, descriptorCount: 1 } as const;

function makeSet(
  { device, owned }: Workbench,
  setLayout: VkDescriptorSetLayout,
  buffers: readonly GpuBuffer[],
): VkDescriptorSet {
  const pPoolSizes = [{ type: STORAGE_BUFFER, descriptorCount: buffers.length }];
  const descriptorPool = device.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes });
  owned.defer(() => device.vkDestroyDescriptorPool(descriptorPool));
  const [dstSet] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
  const writes = buffers.map(({ buffer }, dstBinding) => ({
    dstSet,
    dstBinding,
    ...ONE,
    pBufferInfo: [{ buffer, range: WHOLE_SIZE }],
  }));
  device.vkUpdateDescriptorSets(writes, []);
  return dstSet;
}

/** Records the binding of inputs: their set and their push constants. */
export function recordInputs(
  commands: VkCommandBuffer,
  { layout, sets }: BoundInputs,
  { push }: ShaderInputs,
  stageFlags: number,
  bindPoint: VkPipelineBindPoint,
): void {
  if (sets.length > 0) commands.vkCmdBindDescriptorSets(bindPoint, layout, 0, sets, []);
  if (push) commands.vkCmdPushConstants(layout, stageFlags, 0, bytesOf(push));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
