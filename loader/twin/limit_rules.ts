/**
 * The limits that decide whether an object can be created: a line for each, with the value that an object takes of the
 * limit.
 *
 * @module
 */
import type { StructObject } from "../codec/codec.ts";
import { VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_UNKNOWN } from "../gen/enums_core_gen.js";
import {
  VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
  VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO,
  VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
} from "../gen/enums_stype_gen.js";
import type { Twin } from "./twin.ts";

/** A limit, and how much of the limit something takes. */
export interface Rule<Of> {
  /** The struct of properties with the limit. */
  readonly properties: string;
  /** The limit: a maximum. An element of an array has its index behind the name. */
  readonly limit: string;
  /** Returns the amount of the limit that is taken. */
  taken(of: Of): number | bigint;
}

/** A limit of a create info. */
export interface LimitRule extends Rule<StructObject> {
  /** The command that creates the object. */
  readonly command: string;
  /** The struct of the create info, which is the command's second parameter, or the first of several. */
  readonly struct: string;
}

/** A rule that something breaks, with the limit and with how much was asked for. */
export interface Beyond {
  /** The limit's name. */
  readonly limit: string;
  /** The limit. */
  readonly most: number | bigint;
  /** The amount that was asked for. */
  readonly taken: number | bigint;
}

/** The value of a twin's limit; `undefined` if the source does not tell. */
export function limitOf(
  twin: Twin,
  { properties, limit }: Pick<Rule<never>, "properties" | "limit">,
): number | bigint | undefined {
  const values = properties === LIMITS ? twin.limits : twin.properties(properties),
    [name, index] = limit.split(/[[\]]/);
  const value = values[name] as number | bigint | readonly number[] | undefined;
  return index === undefined
    ? value as number | bigint | undefined
    : (value as readonly number[] | undefined)?.[Number(index)];
}

/** Returns the first rule that something breaks; `undefined` if none. */
export function firstBeyond<Of>(twin: Twin, rules: readonly Rule<Of>[], of: Of): Beyond | undefined {
  for (const rule of rules) {
    const most = limitOf(twin, rule), taken = most === undefined ? 0 : rule.taken(of);
    if (most !== undefined && taken > most) return { limit: rule.limit, most, taken };
  }
  return undefined;
}

/** Refuses a call that takes more than a limit. Memory that is too large is no memory. */
export function refuseBeyond(twin: Twin, command: string, { limit, most, taken }: Beyond): number {
  const result = limit === "maxBufferSize" ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_UNKNOWN;
  return twin.refuse(command, result, [limit], `${limit} is ${most}, and ${taken} was asked for`);
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

/** As many elements as there are, or as the largest number of one of them says. */
function numbered(list: List, member: string): number {
  return most([list.length, ...list.map((each) => Number(each[member]) + 1)]);
}

function attachments(name: string): Taken {
  return (info) => most(listIn(info, "pSubpasses").map((subpass) => listIn(subpass, name).length));
}

/** The struct of a type in a chain; `{}` if there is none. */
function chained({ pNext }: StructObject, type: number): StructObject {
  return ((pNext ?? []) as StructObject[]).find(({ sType }) => sType === type) ?? {};
}

/** The number of views in masks of bits. */
function views(masks: Iterable<unknown>): number {
  return most(Array.from(masks, (mask) => 32 - Math.clz32(Number(mask))));
}

function viewports(member: string): Taken {
  return (info) => most(listIn(info, "pViewportState", "pViewports").map((each) => Math.abs(Number(each[member]))));
}

function dynamicRendering(info: StructObject): StructObject {
  return chained(info, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
}

function divisors(info: StructObject): number {
  const state = (info[VERTEX] ?? {}) as StructObject;
  const { pVertexBindingDivisors } = chained(state, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO);
  return most(((pVertexBindingDivisors ?? []) as StructObject[]).map(({ divisor }) => divisor));
}

const VERTEX = "pVertexInputState", GRAPHICS = "vkCreateGraphicsPipelines", PIPELINE = "VkGraphicsPipelineCreateInfo";
const MULTIVIEW = "VkPhysicalDeviceMultiviewProperties";

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
  ...rules(GRAPHICS, PIPELINE, {
    maxColorAttachments: (info) => Number(dynamicRendering(info).colorAttachmentCount ?? 0),
    maxVertexInputBindings: (info) => numbered(listIn(info, VERTEX, "pVertexBindingDescriptions"), "binding"),
    maxVertexInputAttributes: (info) => numbered(listIn(info, VERTEX, "pVertexAttributeDescriptions"), "location"),
    maxVertexInputBindingStride: (info) =>
      most(listIn(info, VERTEX, "pVertexBindingDescriptions").map(({ stride }) => stride)),
    maxVertexInputAttributeOffset: (info) =>
      most(listIn(info, VERTEX, "pVertexAttributeDescriptions").map(({ offset }) => offset)),
    maxTessellationPatchSize: (info) => inPath(info, "pTessellationState", "patchControlPoints"),
    maxViewports: (info) => inPath(info, "pViewportState", "viewportCount"),
    "maxViewportDimensions[0]": viewports("width"),
    "maxViewportDimensions[1]": viewports("height"),
  }),
  ...rules(GRAPHICS, PIPELINE, {
    maxMultiviewViewCount: (info) => views([dynamicRendering(info).viewMask ?? 0]),
  }, MULTIVIEW),
  ...rules("vkCreateRenderPass", "VkRenderPassCreateInfo", {
    maxMultiviewViewCount: (info) =>
      views((chained(info, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO).pViewMasks ?? []) as number[]),
  }, MULTIVIEW),
  ...["vkCreateRenderPass2", "vkCreateRenderPass2KHR"].flatMap((command) =>
    rules(command, "VkRenderPassCreateInfo2", {
      maxMultiviewViewCount: (info) => views(listIn(info, "pSubpasses").map(({ viewMask }) => viewMask)),
    }, MULTIVIEW)
  ),
  ...rules(GRAPHICS, PIPELINE, {
    maxVertexAttribDivisor: divisors,
  }, "VkPhysicalDeviceVertexAttributeDivisorProperties"),
  ...rules(
    "vkCreateBuffer",
    "VkBufferCreateInfo",
    { maxBufferSize: of("size") },
    "VkPhysicalDeviceMaintenance4Properties",
  ),
];
