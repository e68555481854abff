import {
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import { viewsOf } from "../../state_tracker/effects.ts";
import type { Fields } from "../../record/line.ts";
import type { Resources } from "../../state_tracker/resources.ts";
import type { Pass } from "../../state_tracker/state.ts";
import { type Slice, viewSlices } from "./slices.ts";

/** Layers of a view: the first, and how many. */
type Layers = readonly [first: number, count: number];

const BITS = {
  color: VK_IMAGE_ASPECT_COLOR_BIT,
  depth: VK_IMAGE_ASPECT_DEPTH_BIT,
  stencil: VK_IMAGE_ASPECT_STENCIL_BIT,
};
const WORD = 32;

/** Returns the slices of a view in the area of a pass. */
export function areaSlices(resources: Resources, view: string, pass: Pass): Slice[] {
  return layersOf(pass, resources, viewMasks(pass, resources).reduce((all, each) => all | each, 0))
    .flatMap((layers) => viewSlices(resources, view, areaOf(pass), layers));
}

/** Returns the slices that draws of the current subpass may paint. */
export function drawnSlices(resources: Resources, pass: Pass): Slice[] {
  const { pColorAttachments = [], pDepthStencilAttachment } = subpassOf(pass, resources) ?? {};
  const views = pass.isDynamic
    ? viewsOf(pass, resources)
    : [...pColorAttachments, pDepthStencilAttachment].flatMap((each) => viewAt(pass, each, resources) ?? []);
  const all = layersOf(pass, resources, viewMaskOf(pass, resources));
  return views.flatMap((view) => all.flatMap((layers) => viewSlices(resources, view, areaOf(pass), layers)));
}

/** Returns the slices that a member of a clear clears in one rectangle. */
export function clearedSlices(
  resources: Resources,
  pass: Pass,
  { aspectMask, colorAttachment }: Fields,
  { rect, baseArrayLayer, layerCount }: Fields,
): Slice[] {
  const viewMask = viewMaskOf(pass, resources), isColor = (aspectMask & BITS.color) !== 0;
  const all: Layers[] = viewMask ? bitsOf(viewMask) : [[baseArrayLayer, layerCount]];
  const views = new Set(isColor ? [colorView(pass, colorAttachment, resources)] : depthViews(pass, resources));
  const slices = [...views].flatMap((view) =>
    view ? all.flatMap((layers) => viewSlices(resources, view, rect, layers)) : []
  );
  return slices.filter(({ aspect }) => aspectMask & BITS[aspect]);
}

function areaOf({ begin: { args: { pRenderPassBegin, pRenderingInfo } } }: Pass): Fields {
  return (pRenderPassBegin ?? pRenderingInfo).renderArea;
}

/** The layers that are rendered to: each view's own, or as many as the pass says. */
function layersOf({ begin: { args } }: Pass, resources: Resources, viewMask: number): Layers[] {
  if (viewMask) return bitsOf(viewMask);
  return [[0, args.pRenderingInfo?.layerCount ?? resources.info(args.pRenderPassBegin.framebuffer)?.layers ?? 1]];
}

/** The views of the current subpass, as bits. */
function viewMaskOf(pass: Pass, resources: Resources): number {
  return viewMasks(pass, resources)[pass.subpass] ?? 0;
}

/** The views of each subpass. */
function viewMasks({ begin: { args } }: Pass, resources: Resources): number[] {
  if (args.pRenderingInfo) return [args.pRenderingInfo.viewMask ?? 0];
  const { pSubpasses = [], pNext = [] } = resources.info(args.pRenderPassBegin.renderPass) ?? {};
  const { pViewMasks = [] } = pNext.find((each: Fields) => "pViewMasks" in each) ?? {};
  return pSubpasses.map(({ viewMask = 0 }: Fields, index: number) => viewMask | (pViewMasks[index] ?? 0));
}

function bitsOf(mask: number): Layers[] {
  return Array.from({ length: WORD }, (_, bit): Layers => [bit, 1]).filter(([bit]) => mask >>> bit & 1);
}

function colorView(pass: Pass, index: number, resources: Resources): string | undefined {
  const { pRenderingInfo } = pass.begin.args;
  if (pRenderingInfo) return pRenderingInfo.pColorAttachments?.[index]?.imageView;
  return viewAt(pass, subpassOf(pass, resources)?.pColorAttachments?.[index], resources);
}

function depthViews(pass: Pass, resources: Resources): (string | undefined)[] {
  const { pRenderingInfo } = pass.begin.args;
  if (pRenderingInfo) return [pRenderingInfo.pDepthAttachment?.imageView, pRenderingInfo.pStencilAttachment?.imageView];
  return [viewAt(pass, subpassOf(pass, resources)?.pDepthStencilAttachment, resources)];
}

function subpassOf({ begin: { args }, subpass }: Pass, resources: Resources): Fields | undefined {
  return resources.info(args.pRenderPassBegin?.renderPass)?.pSubpasses?.[subpass];
}

/** An unused attachment has a number that no view has. */
function viewAt(pass: Pass, reference: Fields | undefined, resources: Resources): string | undefined {
  return reference && viewsOf(pass, resources)[reference.attachment];
}
