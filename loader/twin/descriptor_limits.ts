/**
 * The limits on descriptors: of one layout of sets, and of all layouts that a pipeline takes, for each stage and in
 * sum.
 *
 * @module
 */
import type { StructObject } from "../codec/codec.ts";
import {
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT as PUSH,
  VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT as UPDATE_AFTER_BIND,
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR as ACCELERATION_STRUCTURE,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER as COMBINED,
  VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK as INLINE_BLOCK,
  VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT as INPUT_ATTACHMENT,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE as SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_SAMPLER as SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER as STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC as DYNAMIC_STORAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE as STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER as STORAGE_TEXELS,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER as UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC as DYNAMIC_UNIFORM,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER as UNIFORM_TEXELS,
} from "../gen/enums_core_gen.js";
import type { SetLayout } from "./device_account.ts";

/** A limit on descriptors. */
export interface DescriptorRule {
  /** The struct of properties with the limit. */
  readonly properties: string;
  /** The limit: a maximum. */
  readonly limit: string;
  /** Returns the amount of the limit that layouts take together. */
  taken(layouts: readonly SetLayout[]): number;
}

/** The stages that have limits of their own: vertex to callable, by the bits of VkShaderStageFlags. */
const STAGES = Array.from({ length: 14 }, (_, bit) => 1 << bit);

const CORE = "VkPhysicalDeviceLimits", INDEXING = "VkPhysicalDeviceDescriptorIndexingProperties";
const INLINE = "VkPhysicalDeviceInlineUniformBlockProperties";
const TRACING = "VkPhysicalDeviceAccelerationStructurePropertiesKHR";

/** Types that count together, by the end of the limit's name, with the structs of the limit and of the one for updates. */
const GROUPS: Readonly<Record<string, readonly [types: readonly number[], own: string, updated: string]>> = {
  Samplers: [[SAMPLER, COMBINED], CORE, INDEXING],
  UniformBuffers: [[UNIFORM_BUFFER, DYNAMIC_UNIFORM], CORE, INDEXING],
  UniformBuffersDynamic: [[DYNAMIC_UNIFORM], CORE, INDEXING],
  StorageBuffers: [[STORAGE_BUFFER, DYNAMIC_STORAGE], CORE, INDEXING],
  StorageBuffersDynamic: [[DYNAMIC_STORAGE], CORE, INDEXING],
  SampledImages: [[COMBINED, SAMPLED_IMAGE, UNIFORM_TEXELS], CORE, INDEXING],
  StorageImages: [[STORAGE_IMAGE, STORAGE_TEXELS], CORE, INDEXING],
  InputAttachments: [[INPUT_ATTACHMENT], CORE, INDEXING],
  InlineUniformBlocks: [[INLINE_BLOCK], INLINE, INLINE],
  AccelerationStructures: [[ACCELERATION_STRUCTURE], TRACING, TRACING],
};
/** All that a stage reaches, except samplers, which are no resources, and the types of extensions. */
const RESOURCES = [
  ...GROUPS.SampledImages[0],
  ...GROUPS.StorageImages[0],
  ...GROUPS.UniformBuffers[0],
  ...GROUPS.StorageBuffers[0],
  INPUT_ATTACHMENT,
];

type Taken = DescriptorRule["taken"];

/** Descriptors of some types in all stages; a block counts as one, whatever its bytes. */
function inSets(types: readonly number[]): Taken {
  return (layouts) => sumOf(layouts, types, -1);
}

/** Descriptors of some types in the stage that has the most. */
function inStage(types: readonly number[]): Taken {
  return (layouts) => Math.max(...STAGES.map((stage) => sumOf(layouts, types, stage)));
}

function sumOf(layouts: readonly SetLayout[], types: readonly number[], stages: number): number {
  const found = layouts.flatMap(({ bindings }) => bindings).filter((each) =>
    types.includes(each.type) && (each.stages & stages) !== 0
  );
  return found.reduce((sum, { type, count }) => sum + (type === INLINE_BLOCK ? Math.sign(count) : count), 0);
}

/** The limits that leave out the layouts which may be updated after they are bound. */
function ofOthers(taken: Taken): Taken {
  return (layouts) => taken(layouts.filter(({ flags }) => (flags & UPDATE_AFTER_BIND) === 0));
}

function groupRules(group: string): DescriptorRule[] {
  const [types, own, updated] = GROUPS[group], hasStages = !group.endsWith("Dynamic");
  const pair = (place: string, taken: Taken): DescriptorRule[] => [
    { properties: own, limit: `${place}${group}`, taken: ofOthers(taken) },
    { properties: updated, limit: `${place}UpdateAfterBind${group}`, taken },
  ];
  return [
    ...pair("maxDescriptorSet", inSets(types)),
    ...hasStages ? pair("maxPerStageDescriptor", inStage(types)) : [],
  ];
}

/** The rules for the layouts of a pipeline. */
export const PIPELINE_RULES: readonly DescriptorRule[] = [
  ...Object.keys(GROUPS).flatMap(groupRules),
  { properties: CORE, limit: "maxPerStageResources", taken: ofOthers(inStage(RESOURCES)) },
  { properties: INDEXING, limit: "maxPerStageUpdateAfterBindResources", taken: inStage(RESOURCES) },
  {
    properties: "VkPhysicalDeviceVulkan13Properties",
    limit: "maxInlineUniformTotalSize",
    taken: (layouts) => sizes(layouts).reduce((sum, size) => sum + size, 0),
  },
];

/** The rules for one layout of sets. */
export const SET_RULES: readonly DescriptorRule[] = [
  {
    properties: "VkPhysicalDeviceMaintenance3Properties",
    limit: "maxPerSetDescriptors",
    taken: (layouts) => allOf(layouts),
  },
  {
    properties: "VkPhysicalDevicePushDescriptorProperties",
    limit: "maxPushDescriptors",
    taken: (layouts) => allOf(layouts.filter(({ flags }) => (flags & PUSH) !== 0)),
  },
  { properties: INLINE, limit: "maxInlineUniformBlockSize", taken: (layouts) => Math.max(0, ...sizes(layouts)) },
];

/** Bytes of each inline block. */
function sizes(layouts: readonly SetLayout[]): number[] {
  return layouts.flatMap(({ bindings }) => bindings).filter(({ type }) => type === INLINE_BLOCK).map(({ count }) =>
    count
  );
}

function allOf(layouts: readonly SetLayout[]): number {
  return sumOf(layouts, [...RESOURCES, SAMPLER, INLINE_BLOCK, ACCELERATION_STRUCTURE], -1);
}

/** Reads VkDescriptorSetLayoutCreateInfo. The bytes of inline blocks count as descriptors of a pool. */
export function setLayoutOf({ flags, pBindings }: StructObject): SetLayout {
  const bindings = ((pBindings as StructObject[] | null) ?? []).map((each) => ({
    type: each.descriptorType as number,
    count: each.descriptorCount as number,
    stages: each.stageFlags as number,
  }));
  const counts = new Map<number, number>();
  for (const { type, count } of bindings) counts.set(type, (counts.get(type) ?? 0) + count);
  return { flags: (flags ?? 0) as number, bindings, counts };
}
