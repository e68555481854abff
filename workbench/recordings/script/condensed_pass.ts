import {
  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
} from "../../../loader/gen/enums_core_gen.js";
import { aspectsOf } from "../../../loader/texels/format.ts";
import type { Fields } from "../record/line.ts";
import type { CondensedView } from "./condensed_view.ts";
import { braces, brackets, type Node } from "./node.ts";
import type { Values } from "./values.ts";
import type { Variables } from "./variables.ts";

/** A render pass with a framebuffer. */
export interface CondensedPass {
  readonly pass: Fields;
  readonly frame: Fields;
  readonly views: readonly CondensedView[];
}

/** Whether `renderPass()` makes such a pass: one subpass over views, the size of the first one. */
export function isCondensedPass({ pass, frame, views }: { pass: Fields; frame: Fields; views: unknown[] }): boolean {
  const { pSubpasses: [subpass, ...more], pAttachments = [] } = pass;
  const lists = [subpass.pInputAttachments, subpass.pPreserveAttachments, pass.pCorrelatedViewMasks];
  const chained = [pass, frame, subpass, ...pAttachments].some((each) => each.pNext?.length > 0);
  const [first] = views as (CondensedView | undefined)[];
  return more.length === 0 && !chained && lists.every((each) => !each?.length) && views.length > 0 &&
    !views.includes(undefined) && !subpass.viewMask && !pass.flags && !frame.flags && frame.layers === 1 &&
    pAttachments.length === views.length && frame.width === first!.width && frame.height === first!.height;
}

/** Writes the arguments of `renderPass()`. */
export function passArguments({ pass, frame, views }: CondensedPass, values: Values, variables: Variables): Node[] {
  const attachments = views.map((view, index) =>
    braces(attachmentMembers(pass.pAttachments[index], variables.of(frame.pAttachments[index]), view, values))
  );
  const subpass = subpassMembers(pass.pSubpasses[0], views, values);
  return [brackets(attachments), ...subpass.length > 0 ? [braces(subpass)] : []];
}

/** Returns the number of a pass's colours. */
export function colorsOf({ pSubpasses: [subpass] }: Fields): number {
  return subpass.pColorAttachments?.length ?? 0;
}

function layoutOf({ isColor }: CondensedView): number {
  return isColor ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
}

function attachmentMembers(info: Fields, name: string, view: CondensedView, values: Values): Node[] {
  const { format, samples, initialLayout, finalLayout, stencilLoadOp, stencilStoreOp, ...rest } = info;
  const layouts = { initialLayout, finalLayout }, hasStencil = aspectsOf(view.format).includes("stencil");
  const told = {
    ...format !== view.format && { format },
    ...samples !== view.samples && { samples },
    ...rest,
    ...hasStencil && { stencilLoadOp, stencilStoreOp },
  };
  return [
    `view: ${name}`,
    ...values.members("VkAttachmentDescription", told),
    ...Object.entries(layouts).filter(([, layout]) => layout !== layoutOf(view)).map(([member, layout]) =>
      `${member}: ${values.of({ name: member, type: "VkImageLayout" }, layout)}`
    ),
  ];
}

/**
 * Returns the members that set a subpass apart from one that draws into all views. Nothing is said of a member that is
 * as usual.
 */
function subpassMembers(subpass: Fields, views: readonly CondensedView[], values: Values): Node[] {
  const references = views.map((view, attachment) => ({ attachment, layout: layoutOf(view) }));
  const colors = references.filter((_, index) => views[index].isColor);
  const depth = references.find((_, index) => !views[index].isColor);
  const found = (subpass.pColorAttachments ?? []).map(plainReference);
  const other = subpass.pDepthStencilAttachment && plainReference(subpass.pDepthStencilAttachment);
  const { pColorAttachments: _, pDepthStencilAttachment: __, ...rest } = subpass;
  return [
    ...values.members("VkSubpassDescription", rest),
    ...isSame(found, colors) ? [] : [colorNode(found, values)],
    ...isSame(other, depth) ? [] : values.members("VkSubpassDescription", { pDepthStencilAttachment: other }),
    ...!other && depth ? ["pDepthStencilAttachment: null"] : [],
  ];
}

function colorNode(found: Fields[], values: Values): Node {
  return values.members("VkSubpassDescription", { pColorAttachments: found })[0] ?? "pColorAttachments: []";
}

function plainReference({ attachment, layout }: Fields): Fields {
  return { attachment, layout };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
