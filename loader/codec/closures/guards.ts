import { type Field, type Layout, layoutOf } from "../layout/layout.ts";
import { memory } from "../values/memory.ts";
import {
  VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
  VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
  VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT,
  VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
  VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
  VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV,
  VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT,
  VK_DYNAMIC_STATE_EXCLUSIVE_SCISSOR_NV,
  VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
  VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT,
  VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
  VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
  VK_DYNAMIC_STATE_VIEWPORT,
  VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV,
  VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV,
  VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
  VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
  VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT,
  VK_SHADER_STAGE_MESH_BIT_EXT,
  VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
  VK_SHARING_MODE_CONCURRENT,
  VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
} from "../../gen/native_gen.ts";

/**
 * Pointers that the specification ignores may be invalid, and following them
 * crashes. These rules decide whether a pointer counts. An ignored pointer is
 * decoded as null. If only the caller could know (`undefined`), the pointer is
 * decoded as its address.
 */
export type Guard = (at: number, context?: number) => boolean | undefined;
/** A value that a struct passes to a struct inside it, beyond a union's selector. */
export type ContextRule = (at: number, context?: number) => number | undefined;

/** Context of a struct whose pointers depend on the struct around it: which of them are ignored. */
const IGNORE_FIRST = 1, IGNORE_SECOND = 2;
/** Likewise for the structs chained to the viewport state and to the multisample state. */
const IGNORE_SCALINGS = 4,
  IGNORE_EXCLUSIVE_SCISSORS = 8,
  IGNORE_PALETTES = 16,
  IGNORE_TABLE = 32,
  IGNORE_LOCATIONS = 64;

/**
 * Returns the guard of a member; `undefined` if the member always counts.
 * Source: the "is ignored" sentences of the Vulkan specification.
 */
export function guardOf(layout: Layout, { name }: Field): Guard | undefined {
  const sharing = layout.fields.find((field) => field.type === "VkSharingMode");
  if (name === "pQueueFamilyIndices" && sharing) {
    const { view } = memory(), { offset } = sharing;
    return (at) => view.getInt32(at + offset, true) === VK_SHARING_MODE_CONCURRENT;
  }
  if (layout.name === "VkGraphicsPipelineCreateInfo" && name in PIPELINE_PARTS) return pipelineGuard(layout, name);
  if (layout.name === "VkWriteDescriptorSet" && name in DESCRIPTOR_TYPES) {
    return (at) => DESCRIPTOR_TYPES[name].includes(number(layout, "descriptorType", at));
  }
  return RULES[`${layout.name}.${name}`]?.(layout);
}

/** Returns the value that a struct passes to a member: the selector of a union, the dynamic state of a pipeline. */
export function contextOf(layout: Layout, { name, selector }: Field): ContextRule | undefined {
  const chosen = layout.fields.find((field) => field.name === selector);
  if (chosen) {
    const { view } = memory();
    return (at) => view.getInt32(at + chosen.offset, true);
  }
  if (layout.name === "VkGraphicsPipelineCreateInfo") return PIPELINE_CONTEXTS[name]?.(layout);
  return CONTEXTS[`${layout.name}.${name}`]?.(layout);
}

const isMeant = (bit: number): Guard => (_, context = 0) => (context & bit) === 0;

const CONTEXTS: Record<string, (layout: Layout) => ContextRule> = {
  "VkCommandBufferBeginInfo.pInheritanceInfo": (layout) => (at) =>
    (number(layout, "flags", at) & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) === 0 ? IGNORE_FIRST : 0,
  // VkCommandBufferInheritanceRenderingInfo counts within dynamic rendering alone.
  "VkCommandBufferInheritanceInfo.pNext": (layout) => (at, context = 0) =>
    pointer(layout, "renderPass", at) === 0n ? context : IGNORE_FIRST,
  "VkPipelineViewportStateCreateInfo.pNext": () => (_, context) => context,
  "VkPipelineMultisampleStateCreateInfo.pNext": () => (_, context) => context,
  "VkPipelineSampleLocationsStateCreateInfoEXT.sampleLocationsInfo": (layout) => (at, context = 0) =>
    context | (number(layout, "sampleLocationsEnable", at) === 0 ? IGNORE_LOCATIONS : 0),
};

const RULES: Record<string, (layout: Layout) => Guard> = {
  "VkDescriptorSetLayoutBinding.pImmutableSamplers": (layout) => (at) =>
    number(layout, "descriptorType", at) <= VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  // Only secondary command buffers read the pointer, and the struct does not contain the level.
  "VkCommandBufferBeginInfo.pInheritanceInfo": () => (_, level) =>
    level === undefined ? undefined : level === VK_COMMAND_BUFFER_LEVEL_SECONDARY,
  "VkFramebufferCreateInfo.pAttachments": (layout) => (at) =>
    (number(layout, "flags", at) & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) === 0,
  "VkPipelineViewportStateCreateInfo.pViewports": () => isMeant(IGNORE_FIRST),
  "VkPipelineViewportStateCreateInfo.pScissors": () => isMeant(IGNORE_SECOND),
  "VkPipelineColorBlendStateCreateInfo.pAttachments": () => isMeant(IGNORE_FIRST),
  "VkPipelineMultisampleStateCreateInfo.pSampleMask": () => isMeant(IGNORE_FIRST),
  "VkPipelineRenderingCreateInfo.pColorAttachmentFormats": () => isMeant(IGNORE_FIRST),
  "VkCommandBufferInheritanceRenderingInfo.pColorAttachmentFormats": () => isMeant(IGNORE_FIRST),
  "VkCommandBufferInheritanceViewportScissorInfoNV.pViewportDepths": (layout) => (at) =>
    number(layout, "viewportScissor2D", at) !== 0,
  "VkPipelineDiscardRectangleStateCreateInfoEXT.pDiscardRectangles": () => isMeant(IGNORE_SECOND),
  "VkPipelineViewportWScalingStateCreateInfoNV.pViewportWScalings": () => isMeant(IGNORE_SCALINGS),
  "VkPipelineViewportExclusiveScissorStateCreateInfoNV.pExclusiveScissors": () => isMeant(IGNORE_EXCLUSIVE_SCISSORS),
  "VkPipelineViewportShadingRateImageStateCreateInfoNV.pShadingRatePalettes": () => isMeant(IGNORE_PALETTES),
  "VkPipelineCoverageModulationStateCreateInfoNV.pCoverageModulationTable": (layout) => (at, context = 0) =>
    (context & IGNORE_TABLE) === 0 && number(layout, "coverageModulationTableEnable", at) !== 0,
  "VkSampleLocationsInfoEXT.pSampleLocations": () => isMeant(IGNORE_LOCATIONS),
  "VkImageCompressionControlEXT.pFixedRateFlags": (layout) => (at) =>
    number(layout, "flags", at) === VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT,
  "VkGraphicsShaderGroupCreateInfoNV.pVertexInputState": (layout) => (at) => (stagesOf(layout, at) & MESH) === 0,
  "VkGraphicsShaderGroupCreateInfoNV.pTessellationState": (layout) => (at) =>
    (stagesOf(layout, at) & TESSELLATION) === TESSELLATION,
};

/** VkDescriptorType values for which each array of VkWriteDescriptorSet is read. */
const DESCRIPTOR_TYPES: Record<string, number[]> = {
  pImageInfo: [
    VK_DESCRIPTOR_TYPE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
    VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM,
    VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM,
  ],
  pBufferInfo: [
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  ],
  pTexelBufferView: [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER],
};

/** The parts of a pipeline that a library may have alone. */
const VERTEX_INPUT = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
  PRE_RASTERIZATION = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
  FRAGMENT_SHADER = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
  FRAGMENT_OUTPUT = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
const ALL_PARTS = VERTEX_INPUT | PRE_RASTERIZATION | FRAGMENT_SHADER | FRAGMENT_OUTPUT;
/** The parts that read each pointer of VkGraphicsPipelineCreateInfo. */
const PIPELINE_PARTS: Record<string, number> = {
  pStages: PRE_RASTERIZATION | FRAGMENT_SHADER,
  pVertexInputState: VERTEX_INPUT,
  pInputAssemblyState: VERTEX_INPUT,
  pTessellationState: PRE_RASTERIZATION,
  pViewportState: PRE_RASTERIZATION,
  pRasterizationState: PRE_RASTERIZATION,
  pMultisampleState: FRAGMENT_SHADER | FRAGMENT_OUTPUT,
  pDepthStencilState: FRAGMENT_SHADER,
  pColorBlendState: FRAGMENT_OUTPUT,
};

/** VkDynamicState values that make a pointer ignored. */
const VIEWPORT = VK_DYNAMIC_STATE_VIEWPORT,
  SCISSOR = VK_DYNAMIC_STATE_SCISSOR,
  VIEWPORT_WITH_COUNT = VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
  SCISSOR_WITH_COUNT = VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT;
const VERTEX_INPUT_EXT = VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
  RASTERIZER_DISCARD_ENABLE = VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
  SAMPLE_MASK = VK_DYNAMIC_STATE_SAMPLE_MASK_EXT;
const COLOR_BLEND = [
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  ],
  COLOR_BLEND_ADVANCED = [
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
  ];
const MESH = VK_SHADER_STAGE_MESH_BIT_EXT;
/** Both of them, or none. */
const TESSELLATION = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
const STYPE_LIBRARY = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
  STYPE_GRAPHICS_LIBRARY = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;

function pipelineGuard(layout: Layout, name: string): Guard {
  return (at) => {
    if ((partsOf(at) & PIPELINE_PARTS[name]) === 0) return false;
    switch (name) {
      case "pVertexInputState":
        return (stagesOf(layout, at) & MESH) === 0 && !isDynamic(layout, at, [VERTEX_INPUT_EXT]);
      case "pInputAssemblyState":
        return (stagesOf(layout, at) & MESH) === 0;
      case "pTessellationState":
        return isLibrary(at) || (stagesOf(layout, at) & TESSELLATION) === TESSELLATION;
      case "pViewportState":
      case "pMultisampleState":
      case "pDepthStencilState":
      case "pColorBlendState":
        return isLibrary(at) || rasterizes(layout, at);
      default:
        return true;
    }
  };
}

const PIPELINE_CONTEXTS: Record<string, (layout: Layout) => ContextRule> = {
  pViewportState: (layout) => (at) =>
    (isDynamic(layout, at, [VIEWPORT]) || isDynamic(layout, at, [VIEWPORT_WITH_COUNT]) ? IGNORE_FIRST : 0) |
    (isDynamic(layout, at, [SCISSOR]) || isDynamic(layout, at, [SCISSOR_WITH_COUNT]) ? IGNORE_SECOND : 0) |
    (isDynamic(layout, at, [VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_NV]) ? IGNORE_SCALINGS : 0) |
    (isDynamic(layout, at, [VK_DYNAMIC_STATE_EXCLUSIVE_SCISSOR_NV]) ? IGNORE_EXCLUSIVE_SCISSORS : 0) |
    (isDynamic(layout, at, [VK_DYNAMIC_STATE_VIEWPORT_SHADING_RATE_PALETTE_NV]) ? IGNORE_PALETTES : 0),
  pColorBlendState: (layout) => (at) =>
    isDynamic(layout, at, COLOR_BLEND) || isDynamic(layout, at, COLOR_BLEND_ADVANCED) ? IGNORE_FIRST : 0,
  pMultisampleState: (layout) => (at) =>
    (isDynamic(layout, at, [SAMPLE_MASK]) ? IGNORE_FIRST : 0) |
    (isDynamic(layout, at, [VK_DYNAMIC_STATE_COVERAGE_MODULATION_TABLE_NV]) ? IGNORE_TABLE : 0) |
    (isDynamic(layout, at, [VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT]) ? IGNORE_LOCATIONS : 0),
  // In the chain, VkPipelineRenderingCreateInfo's formats count only with dynamic rendering and fragment output.
  pNext: (layout) => (at) => {
    const hasRenderPass = pointer(layout, "renderPass", at) !== 0n;
    const formats = hasRenderPass || (partsOf(at) & FRAGMENT_OUTPUT) === 0 ? IGNORE_FIRST : 0;
    return formats | (isDynamic(layout, at, [VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT]) ? IGNORE_SECOND : 0);
  },
};

/** Returns the parts that this pipeline defines itself: all, unless it is a library or made from libraries. */
function partsOf(at: number): number {
  const library = findInChain(at, STYPE_GRAPHICS_LIBRARY, 24);
  if (library !== 0) return memory().view.getUint32(library + 16, true);
  return isLibrary(at) ? 0 : ALL_PARTS;
}

/** Whether parts of this pipeline may come from elsewhere. */
export function isLibrary(at: number): boolean {
  if (findInChain(at, STYPE_GRAPHICS_LIBRARY, 24) !== 0) return true;
  const libraries = findInChain(at, STYPE_LIBRARY, 32);
  return libraries !== 0 && memory().view.getUint32(libraries + 16, true) > 0;
}

function rasterizes(layout: Layout, at: number): boolean {
  if (isDynamic(layout, at, [RASTERIZER_DISCARD_ENABLE])) return true;
  const state = follow(layout, "pRasterizationState", at, layoutOf("VkPipelineRasterizationStateCreateInfo").size);
  return state === 0 ||
    number(layoutOf("VkPipelineRasterizationStateCreateInfo"), "rasterizerDiscardEnable", state) === 0;
}

/** Whether the pipeline sets all of these states dynamically. */
function isDynamic(layout: Layout, at: number, states: number[]): boolean {
  const found = statesOf(layout, at);
  return states.every((state) => found.has(state));
}

/** Returns the VkDynamicState values of a pipeline. */
export function statesOf(layout: Layout, at: number): Set<number> {
  const found = new Set<number>(), inner = layoutOf("VkPipelineDynamicStateCreateInfo");
  const info = follow(layout, "pDynamicState", at, inner.size);
  const count = info === 0 ? 0 : number(inner, "dynamicStateCount", info);
  const list = count === 0 ? 0 : follow(inner, "pDynamicStates", info, count * 4);
  for (let i = 0; list !== 0 && i < count; i++) found.add(memory().view.getInt32(list + i * 4, true));
  return found;
}

/** Returns all shader stages of the pipeline as flags. */
function stagesOf(layout: Layout, at: number): number {
  if ((partsOf(at) & PIPELINE_PARTS.pStages) === 0) return 0;
  const inner = layoutOf("VkPipelineShaderStageCreateInfo"), count = number(layout, "stageCount", at);
  const first = count === 0 ? 0 : follow(layout, "pStages", at, count * inner.size);
  let stages = 0;
  for (let i = 0; first !== 0 && i < count; i++) stages |= number(inner, "stage", first + i * inner.size);
  return stages;
}

/**
 * Returns the place of the first struct with an sType in the chain of the
 * struct at `at`, copied if necessary; 0 if there is none.
 */
function findInChain(at: number, sType: number, size: number): number {
  const { view, follow } = memory();
  for (let next = at + 8, i = 0; i < 4096; i++) {
    const header = follow(next, 16);
    if (header === 0) return 0;
    if (view.getInt32(header, true) === sType) return follow(next, size);
    next = header + 8;
  }
  return 0;
}

function fieldOf(layout: Layout, name: string): Field {
  return layout.fields.find((field) => field.name === name)!;
}

function number(layout: Layout, name: string, at: number): number {
  return memory().view.getInt32(at + fieldOf(layout, name).offset, true);
}

function pointer(layout: Layout, name: string, at: number): bigint {
  return memory().view.getBigUint64(at + fieldOf(layout, name).offset, true);
}

function follow(layout: Layout, name: string, at: number, size: number): number {
  return memory().follow(at + fieldOf(layout, name).offset, size);
}
