import type { Model } from "../model.ts";
import { type Arguments, DEVICE } from "../writer.ts";

/** A binding of a descriptor set: one descriptor or an array. */
export interface Binding {
  /** VkDescriptorType. */
  readonly type: number;
  /** VkDescriptorBufferInfo or VkDescriptorImageInfo of each, or the name of its buffer view. */
  readonly infos: readonly (Arguments | string)[];
}

/** Returns the bytes of 32-bit words. */
export function words(values: readonly number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Uint32Array.from(values, (value) => value >>> 0).buffer);
}

/** Returns the shader module of a name; each is made once. */
export function moduleOf({ writer, modules }: Model, name: string, code: () => Uint32Array<ArrayBuffer>): string {
  const known = modules.get(name);
  if (known) return known;
  const made = writer.create("VkShaderModule", { pCode: code() });
  modules.set(name, made);
  return made;
}

/** Creates a pipeline layout with one set, and the set. */
export function bindSet(
  { writer }: Model,
  stageFlags: number,
  bindings: readonly Binding[],
  pushed: number,
): { layout: string; set: string } {
  const pBindings = bindings.map(({ type, infos }, binding) => (
    { binding, descriptorType: type, descriptorCount: infos.length, stageFlags }
  ));
  const setLayout = writer.create("VkDescriptorSetLayout", { pBindings });
  const layout = writer.create("VkPipelineLayout", {
    pSetLayouts: [setLayout],
    pPushConstantRanges: [{ stageFlags, offset: 0, size: pushed }],
  });
  const pPoolSizes = bindings.map(({ type, infos }) => ({ type, descriptorCount: infos.length }));
  const descriptorPool = writer.create("VkDescriptorPool", { maxSets: 1, pPoolSizes }),
    set = writer.name("VkDescriptorSet");
  const pAllocateInfo = { descriptorPool, pSetLayouts: [setLayout] };
  writer.call("vkAllocateDescriptorSets", { device: DEVICE, pAllocateInfo }, { pDescriptorSets: [set] });
  const pDescriptorWrites = bindings.map(({ type, infos }, dstBinding) => ({
    dstSet: set,
    dstBinding,
    dstArrayElement: 0,
    descriptorType: type,
    [memberOf(infos[0])]: infos,
  }));
  writer.call("vkUpdateDescriptorSets", { device: DEVICE, pDescriptorWrites, pDescriptorCopies: [] });
  return { layout, set };
}

/** The member of VkWriteDescriptorSet that has such descriptors. */
function memberOf(info: Arguments | string): string {
  if (typeof info === "string") return "pTexelBufferView";
  return info.buffer === undefined ? "pImageInfo" : "pBufferInfo";
}
