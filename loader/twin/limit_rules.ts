/**
 * The limits that decide whether an object can be created: a line for each, with the value that an object takes of the
 * limit.
 *
 * @module
 */
import type { StructObject } from "../codec/codec.ts";

/** A limit of a create info. */
export interface LimitRule {
  /** The command that creates the object. */
  readonly command: string;
  /** The struct of the create info, which is the command's second parameter, or the first of several. */
  readonly struct: string;
  /** The struct of properties with the limit. */
  readonly properties: string;
  /** The limit: a maximum. */
  readonly limit: string;
  /** How much of the limit an object takes. */
  taken(info: StructObject): number | bigint;
}

type Taken = LimitRule["taken"];
type List = readonly StructObject[];

const LIMITS = "VkPhysicalDeviceLimits";

function rules(
  command: string,
  struct: string,
  limits: Readonly<Record<string, Taken>>,
  properties = LIMITS,
): LimitRule[] {
  return Object.entries(limits).map(([limit, taken]) => ({ command, struct, properties, limit, taken }));
}

/** The value of a member; 0 if the member is absent. */
function of(name: string): Taken {
  return (info) => (info[name] ?? 0) as number | bigint;
}

/** The largest of some values; 0 for none. */
function most(values: Iterable<unknown>): number {
  return Math.max(0, ...Array.from(values, Number));
}

/** The elements of an array, perhaps in a struct that is absent. */
function listIn(info: StructObject, ...path: readonly string[]): List {
  let found: unknown = info;
  for (const name of path) found = (found as StructObject | null | undefined)?.[name];
  return (Array.isArray(found) ? found : []) as List;
}

function inPath(info: StructObject, struct: string, member: string): number {
  return Number((info[struct] as StructObject | null | undefined)?.[member] ?? 0);
}

/** The largest end of some ranges. */
function ends(list: List, one: string, other: string): number {
  return most(list.map((each) => Number(each[one]) + Number(each[other])));
}

function attachments(name: string): Taken {
  return (info) => most(listIn(info, "pSubpasses").map((subpass) => listIn(subpass, name).length));
}

const VERTEX = "pVertexInputState";

/** The rules. A graphics pipeline's states that are dynamic or in libraries are absent, and take nothing. */
export const LIMIT_RULES: readonly LimitRule[] = [
  ...rules("vkCreateFramebuffer", "VkFramebufferCreateInfo", {
    maxFramebufferWidth: of("width"),
    maxFramebufferHeight: of("height"),
    maxFramebufferLayers: of("layers"),
  }),
  ...rules("vkCreateSampler", "VkSamplerCreateInfo", {
    maxSamplerLodBias: (info) => Math.abs(Number(info.mipLodBias)),
    maxSamplerAnisotropy: (info) => info.anisotropyEnable === true ? Number(info.maxAnisotropy) : 0,
  }),
  ...rules("vkCreatePipelineLayout", "VkPipelineLayoutCreateInfo", {
    maxBoundDescriptorSets: (info) => listIn(info, "pSetLayouts").length,
    maxPushConstantsSize: (info) => ends(listIn(info, "pPushConstantRanges"), "offset", "size"),
  }),
  ...["vkCreateRenderPass", "vkCreateRenderPass2", "vkCreateRenderPass2KHR"].flatMap((command) =>
    rules(command, command === "vkCreateRenderPass" ? "VkRenderPassCreateInfo" : "VkRenderPassCreateInfo2", {
      maxColorAttachments: attachments("pColorAttachments"),
    })
  ),
  ...rules("vkCreateGraphicsPipelines", "VkGraphicsPipelineCreateInfo", {
    maxVertexInputBindings: (info) => listIn(info, VERTEX, "pVertexBindingDescriptions").length,
    maxVertexInputAttributes: (info) => listIn(info, VERTEX, "pVertexAttributeDescriptions").length,
    maxVertexInputBindingStride: (info) =>
      most(listIn(info, VERTEX, "pVertexBindingDescriptions").map(({ stride }) => stride)),
    maxVertexInputAttributeOffset: (info) =>
      most(listIn(info, VERTEX, "pVertexAttributeDescriptions").map(({ offset }) => offset)),
    maxTessellationPatchSize: (info) => inPath(info, "pTessellationState", "patchControlPoints"),
    maxViewports: (info) => inPath(info, "pViewportState", "viewportCount"),
  }),
  ...rules(
    "vkCreateBuffer",
    "VkBufferCreateInfo",
    { maxBufferSize: of("size") },
    "VkPhysicalDeviceMaintenance4Properties",
  ),
];
