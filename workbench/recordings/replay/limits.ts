import type { Fields } from "../record/line.ts";
import type { VkPhysicalDeviceLimits } from "../../../loader/gen/types_core_gen.ts";

/** The limits of a device by which a call is measured. */
export type Limits = Pick<
  VkPhysicalDeviceLimits,
  | "maxBoundDescriptorSets"
  | "maxPushConstantsSize"
  | "maxColorAttachments"
  | "maxFramebufferWidth"
  | "maxFramebufferHeight"
  | "maxFramebufferLayers"
  | "maxVertexInputBindings"
  | "maxComputeWorkGroupCount"
>;

/** A number that a call gives, with the limit. */
type Measure = readonly [what: string, value: number, limit: number];

const MEASURES: Readonly<Record<string, (args: Fields, limits: Limits) => Measure[]>> = {
  vkCreatePipelineLayout({ pCreateInfo: { pSetLayouts = [], pPushConstantRanges = [] } }, limits) {
    const ends = pPushConstantRanges.map(({ offset, size }: Fields) => Number(offset) + Number(size));
    return [
      ["sets", pSetLayouts.length, limits.maxBoundDescriptorSets],
      ["bytes of push constants", Math.max(0, ...ends), limits.maxPushConstantsSize],
    ];
  },
  vkCreateFramebuffer({ pCreateInfo: { width, height, layers } }, limits) {
    return [
      ["texels of width", width, limits.maxFramebufferWidth],
      ["texels of height", height, limits.maxFramebufferHeight],
      ["layers", layers, limits.maxFramebufferLayers],
    ];
  },
  vkCreateRenderPass: ({ pCreateInfo }, limits) => colorsOf(pCreateInfo, limits),
  vkCreateRenderPass2: ({ pCreateInfo }, limits) => colorsOf(pCreateInfo, limits),
  vkCmdBeginRendering({ pRenderingInfo: { pColorAttachments = [] } }, limits) {
    return [["colour attachments", pColorAttachments.length, limits.maxColorAttachments]];
  },
  vkCreateGraphicsPipelines: ({ pCreateInfos }, limits) =>
    pCreateInfos.flatMap(({ pColorBlendState, pVertexInputState }: Fields): Measure[] => [
      ["colour attachments", pColorBlendState?.pAttachments?.length ?? 0, limits.maxColorAttachments],
      ["vertex bindings", pVertexInputState?.pVertexBindingDescriptions?.length ?? 0, limits.maxVertexInputBindings],
    ]),
  vkCmdBindVertexBuffers({ firstBinding, pBuffers }, limits) {
    return [["vertex bindings", Number(firstBinding) + pBuffers.length, limits.maxVertexInputBindings]];
  },
  vkCmdDispatch({ groupCountX, groupCountY, groupCountZ }, limits) {
    return [groupCountX, groupCountY, groupCountZ].map((count, axis) =>
      ["groups", count, limits.maxComputeWorkGroupCount[axis]] as const
    );
  },
};

function colorsOf({ pSubpasses = [] }: Fields, { maxColorAttachments }: Limits): Measure[] {
  return pSubpasses.map(({ pColorAttachments = [] }: Fields) =>
    ["colour attachments", pColorAttachments.length, maxColorAttachments] as const
  );
}

/** Throws a `TypeError` for a call, by its name without a suffix, that asks for more than a device can. */
export function requireLimits(core: string, args: Fields, limits: Limits): void {
  const measures = Object.hasOwn(MEASURES, core) ? MEASURES[core](args, limits) : [];
  const wrong = measures.find(([, value, limit]) => limit > 0 && (value < 0 || value > limit)); // 0 is no limit of a device
  if (!wrong) return;
  const [what, value, limit] = wrong;
  throw new TypeError(
    `it asks for ${value} ${what}, and this device has ${limit} at most; use another device, or less`,
  );
}
