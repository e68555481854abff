import {
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_LOAD_OP_DONT_CARE,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_RENDERING_RESUMING_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import { resolveViews, viewsOf } from "../../state_tracker/effects.ts";
import type { Fields } from "../../record/line.ts";
import type { Executed } from "../../state_tracker/state_tracker.ts";
import type { Pass } from "../../state_tracker/state.ts";
import { areaSlices, clearedSlices, drawnSlices } from "./attachments.ts";
import { UNDEFINED } from "./permitted_difference.ts";
import { type Slice, viewSlices } from "./slices.ts";
import { clearSlice, type Noting } from "./transfers.ts";

/** Notes what the beginning of a pass does: it clears, and leaves undefined what it does not load. */
export function notePassBegin(noting: Noting, { call }: Executed): void {
  const { pRenderPassBegin, pRenderingInfo } = call.args;
  if (pRenderPassBegin) noteRenderPass(noting, pRenderPassBegin, { begin: call, isDynamic: false, subpass: 0 });
  else if (!((pRenderingInfo.flags ?? 0) & VK_RENDERING_RESUMING_BIT)) {
    noteRendering(noting, pRenderingInfo, { begin: call, isDynamic: true, subpass: 0 });
  }
}

function noteRenderPass(noting: Noting, begin: Fields, pass: Pass): void {
  const { places, resources } = noting;
  const attachments: Fields[] = resources.info(begin.renderPass)?.pAttachments ?? [];
  for (const [index, view] of viewsOf(pass, resources).entries()) {
    const { loadOp, stencilLoadOp, initialLayout } = attachments[index] ?? {}, value = begin.pClearValues?.[index];
    const isFresh = initialLayout === VK_IMAGE_LAYOUT_UNDEFINED;
    // Texels outside of the area become undefined. The area is cleared, by the recording or for the comparison.
    if (isFresh) { for (const slice of viewSlices(resources, view)) places.loosen(slice, UNDEFINED); }
    for (const slice of areaSlices(resources, view, pass)) {
      load(noting, slice, slice.aspect === "stencil" ? stencilLoadOp : loadOp, value, isFresh);
    }
  }
}

function noteRendering(noting: Noting, info: Fields, pass: Pass): void {
  const { pColorAttachments = [], pDepthAttachment, pStencilAttachment } = info;
  const parts: [Fields | undefined, string][] = [
    ...pColorAttachments.map((each: Fields) => [each, "color"]),
    [pDepthAttachment, "depth"],
    [pStencilAttachment, "stencil"],
  ];
  for (const [attachment, part] of parts) {
    const slices = attachment?.imageView ? areaSlices(noting.resources, attachment.imageView, pass) : [];
    for (const slice of slices.filter(({ aspect }) => aspect === part)) {
      load(noting, slice, attachment!.loadOp, attachment!.clearValue, false);
    }
  }
}

/** Notes how an attachment begins. Contents that nobody cares about are cleared to zero for the comparison. */
function load({ places }: Noting, slice: Slice, op: number, value: Fields | undefined, isFresh: boolean): void {
  if (op === VK_ATTACHMENT_LOAD_OP_CLEAR) clearSlice(places, slice, value);
  else if (isFresh || op === VK_ATTACHMENT_LOAD_OP_DONT_CARE) places.define(slice);
}

/** Notes that a draw may compute all texels of the subpass's attachments in the area of the pass. */
export function noteDraw({ places, resources }: Noting, { scene: { state: { pass } } }: Executed): void {
  for (const slice of pass ? drawnSlices(resources, pass) : []) places.compute(slice);
}

/** Notes that the end of a pass resolves. */
export function notePassEnd({ places, resources }: Noting, { scene: { state: { pass } } }: Executed): void {
  for (const view of pass ? resolveViews(pass, resources) : []) {
    for (const slice of areaSlices(resources, view, pass!)) places.compute(slice);
  }
}

/** Notes the clears of rectangles of attachments. */
export function noteClears({ places, resources }: Noting, { call, scene: { state: { pass } } }: Executed): void {
  for (const attachment of pass ? call.args.pAttachments : []) {
    for (const rect of call.args.pRects) {
      for (const slice of clearedSlices(resources, pass!, attachment, rect)) {
        clearSlice(places, slice, attachment.clearValue);
      }
    }
  }
}
