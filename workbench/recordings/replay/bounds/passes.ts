import type { Fields } from "../../record/line.ts";
import { VK_ATTACHMENT_UNUSED, VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT } from "../../../../loader/gen/enums_core_gen.js";
import { requireBox, requireCount, type Sizes, whole } from "./facts.ts";
import type { BoundsCheck } from "./transfers.ts";

/** Subpasses name attachments of their pass. */
function renderPass(_: Sizes, { pCreateInfo: { pAttachments = [], pSubpasses = [] } }: Fields): void {
  for (const { pInputAttachments, pColorAttachments, pResolveAttachments, pDepthStencilAttachment } of pSubpasses) {
    const all = [pInputAttachments, pColorAttachments, pResolveAttachments, pDepthStencilAttachment ?? []].flat();
    for (const { attachment } of all.filter((each) => each)) {
      requireAttachment("the pass", attachment, pAttachments.length);
    }
  }
}

function requireAttachment(name: string, attachment: unknown, count: number): void {
  if (whole(attachment) !== VK_ATTACHMENT_UNUSED) requireCount(name, "attachments", whole(attachment), 1, count);
}

/** Whether a framebuffer's views come when its pass begins. */
function isImageless(flags = 0): boolean {
  return (flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) !== 0;
}

/** A framebuffer has a view for each attachment of its pass, unless the views come later. */
function framebuffer(sizes: Sizes, { pCreateInfo: { flags = 0, renderPass, pAttachments = [] } }: Fields): void {
  const attachments = sizes.info(renderPass)?.pAttachments?.length ?? 0;
  if (!isImageless(flags)) requireCount("the framebuffer", "views", 0, attachments, pAttachments.length);
}

function begin(sizes: Sizes, { pRenderPassBegin: { framebuffer, renderPass, renderArea } }: Fields): void {
  const info = sizes.info(framebuffer);
  if (!info) return;
  const { offset, extent } = renderArea;
  for (const [side, start] of [["width", offset.x], ["height", offset.y]] as const) {
    if (start >= 0 && start + whole(extent[side]) <= whole(info[side])) continue;
    throw new TypeError(
      `${framebuffer} has a ${side} of ${info[side]}, and ${whole(extent[side])} from ${start} on are asked for; ` +
        "name texels that it has",
    );
  }
  const needed = sizes.info(renderPass)?.pAttachments?.length ?? 0;
  if (!isImageless(info.flags)) requireCount(`${framebuffer}`, "views", 0, needed, info.pAttachments?.length ?? 0);
}

/** The views of a dynamic pass have the texels of its area, and a layer for each of its views or layers. */
function beginRendering(sizes: Sizes, { pRenderingInfo: info }: Fields): void {
  const { viewMask, layerCount, renderArea: { offset, extent } } = info;
  const layers = whole(viewMask) === 0 ? whole(layerCount) : 32 - Math.clz32(whole(viewMask));
  for (
    const each of [info.pColorAttachments ?? [], info.pDepthAttachment ?? [], info.pStencilAttachment ?? []].flat()
  ) {
    const view = sizes.info(each.imageView);
    if (!view) continue;
    const { baseMipLevel, baseArrayLayer } = view.subresourceRange;
    requireBox(sizes, view.image, { mipLevel: baseMipLevel, baseArrayLayer, layerCount: layers }, offset, extent);
  }
}

/** A pipeline is for a subpass that there is, and blends as many attachments as the subpass has. */
function graphics(sizes: Sizes, { pCreateInfos }: Fields): void {
  for (const { renderPass, subpass, pColorBlendState, pStages = [] } of pCreateInfos as Fields[]) {
    constants(pStages);
    const subpasses: Fields[] | undefined = sizes.info(renderPass)?.pSubpasses;
    if (!subpasses) continue;
    requireCount(`${renderPass}`, "subpasses", whole(subpass), 1, subpasses.length);
    const colors = subpasses[whole(subpass)].pColorAttachments?.length ?? 0,
      blends = pColorBlendState?.pAttachments?.length ?? 0;
    requireCount(`subpass ${whole(subpass)} of ${renderPass}`, "colour attachments", 0, blends, colors);
  }
}

/** Constants lie within the data. */
function constants(stages: readonly Fields[]): void {
  for (const { pSpecializationInfo: info } of stages) {
    for (const { offset, size } of info?.pMapEntries ?? []) {
      requireCount("the data of constants", "bytes", whole(offset), Number(size ?? 0), bytesIn(info.pData));
    }
  }
}

/** Bytes that stand in a file of their own are not counted. */
function bytesIn(data: Fields | undefined): number {
  if (ArrayBuffer.isView(data)) return data.byteLength;
  return typeof data?.data === "string" ? Infinity : (data?.bytes?.length ?? 0) / 2;
}

function push(sizes: Sizes, { layout, offset }: Fields, given: ReadonlyMap<string, unknown>): void {
  const info = sizes.info(layout), size = (given.get("pValues") as ArrayBufferView | undefined)?.byteLength ?? 0;
  if (!info) return;
  const ends = (info.pPushConstantRanges ?? []).map((range: Fields) => whole(range.offset) + whole(range.size));
  requireCount(`${layout}`, "bytes of push constants", whole(offset), size, Math.max(0, ...ends));
}

/** The checks of passes, pipelines and push constants. */
export const PASSES: Readonly<Record<string, BoundsCheck>> = {
  vkCreateRenderPass: renderPass,
  vkCreateRenderPass2: renderPass,
  vkCreateFramebuffer: framebuffer,
  vkCmdBeginRenderPass: begin,
  vkCmdBeginRenderPass2: begin,
  vkCmdBeginRendering: beginRendering,
  vkCreateGraphicsPipelines: graphics,
  vkCreateComputePipelines: (_, { pCreateInfos }) => constants(pCreateInfos.map(({ stage }: Fields) => stage)),
  vkCmdPushConstants: push,
};
