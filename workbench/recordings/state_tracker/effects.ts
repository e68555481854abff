import type { Fields, RecordedCall } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import {
  VK_ATTACHMENT_UNUSED,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "../../../loader/gen/enums_core_gen.js";
import { type Descriptors, type DescriptorTable, isStorage } from "./descriptors.ts";
import type { ImagePart, Resources } from "./resources.ts";
import type { Bound, CommandState, Pass } from "./state.ts";

/** A buffer, or a part of an image, that a command may write. */
export type Write = { readonly buffer: string } | ImagePart;

/** A part of an image that gets a layout. */
export interface LayoutChange {
  readonly part: ImagePart;
  readonly oldLayout: number;
  readonly newLayout: number;
}

/** The state on which the effects of a command depend. */
export interface Scene {
  readonly resources: Resources;
  readonly descriptors: Descriptors;
  readonly state: CommandState;
}

const DRAWS = /^vkCmdDraw/,
  DISPATCHES = /^vkCmd(Dispatch|TraceRays)/,
  PASS_BEGINS = /^vkCmdBegin(RenderPass2?|Rendering)$/;
const TRANSFERS = /^vkCmd(Copy|Blit|Resolve|Clear|Fill|Update)/, PASS_ENDS = /^vkCmdEnd(RenderPass2?|Rendering2?)$/;

/**
 * Whether a command makes the device write something: the commands among which
 * the first that differs is looked for. The beginning of a pass clears, and its
 * end resolves.
 */
export function isAction(command: string): boolean {
  return [DRAWS, DISPATCHES, TRANSFERS, PASS_BEGINS, PASS_ENDS].some((names) => names.test(coreName(command)));
}

/** Whether a command, named without its suffix, draws. */
export function isDraw(core: string): boolean {
  return DRAWS.test(core);
}

/** Whether a command, named without its suffix, runs compute or ray tracing shaders. */
export function isDispatch(core: string): boolean {
  return DISPATCHES.test(core);
}

/** Returns the buffers and image parts that a command may write. `state` is that before the command. */
export function writesOf(call: RecordedCall, scene: Scene): Write[] {
  const core = coreName(call.command), { resources, state } = scene;
  if (DRAWS.test(core)) {
    return [...attachmentsOf(state.pass, scene), ...storageOf(VK_PIPELINE_BIND_POINT_GRAPHICS, scene)];
  }
  if (DISPATCHES.test(core)) return storageOf(VK_PIPELINE_BIND_POINT_COMPUTE, scene);
  if (core === "vkCmdClearAttachments") return attachmentsOf(state.pass, scene);
  if (PASS_BEGINS.test(core)) {
    return attachmentsOf({ begin: call, isDynamic: core === "vkCmdBeginRendering", subpass: 0 }, scene);
  }
  if (PASS_ENDS.test(core)) return [...attachmentsOf(state.pass, scene), ...resolvesOf(state.pass, scene)];
  return TRANSFERS.test(core) ? transferWrites(transferOf(call.args), resources) : [];
}

/** Returns the arguments of a transfer: the commands of Vulkan 1.3 have theirs in one struct. */
export function transferOf(args: Fields): Fields {
  return Object.values(args).find(isInfo) ?? args;
}

function isInfo(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && ("dstImage" in value || "dstBuffer" in value);
}

function transferWrites(args: Fields, resources: Resources): Write[] {
  const { dstBuffer, dstImage, image, pRegions = [], pRanges = [] } = args;
  if (dstBuffer) return [{ buffer: dstBuffer }];
  if (image) return pRanges.map((range: Fields) => resources.part(image, range));
  return pRegions.map((region: Fields) => {
    const { mipLevel, ...layers } = region.dstSubresource ?? region.imageSubresource;
    const part = resources.part(dstImage, { ...layers, baseMipLevel: mipLevel, levelCount: 1 });
    // Slices of an image with a depth are layers of a copy's other side.
    return (resources.image(dstImage)?.extent.depth ?? 1) > 1 ? { ...part, baseArrayLayer: 0, layerCount: 1 } : part;
  });
}

/** Returns the buffers and image parts that shaders may write through descriptors and transform feedback. */
export function storageOf(point: number, { state, descriptors, resources }: Scene): Write[] {
  const tables = tablesOf(state.at(point), descriptors).flatMap(([, table]) => [...table.values()]).filter(isStorage);
  const fed = point === VK_PIPELINE_BIND_POINT_GRAPHICS && state.feeding ? [...state.feedback.values()] : [];
  return [
    ...fed.map((buffer) => ({ buffer })),
    ...tables.flatMap(({ buffer, view, bufferView }): Write[] => {
      const part = resources.view(view), name = buffer?.name ?? resources.info(bufferView)?.buffer;
      return part ? [part] : name ? [{ buffer: name }] : [];
    }),
  ];
}

/** The descriptors that are bound, with the numbers of their sets, in order. */
export function tablesOf({ sets, pushed }: Bound, descriptors: Descriptors): [number, DescriptorTable][] {
  return [...new Set([...sets.keys(), ...pushed.keys()])].sort((one, other) => one - other)
    .map((set) => [set, pushed.get(set) ?? descriptors.of(sets.get(set)!)]);
}

/** The views of a pass that are written while it goes on. */
function attachmentsOf(pass: Pass | undefined, { resources }: Scene): ImagePart[] {
  if (!pass) return [];
  const resolves = new Set(resolveViews(pass, resources));
  return viewsOf(pass, resources).filter((view) => !resolves.has(view)).flatMap((view) => resources.view(view) ?? []);
}

/** The parts of images that the end of a pass resolves into. */
export function resolvesOf(pass: Pass | undefined, { resources }: Scene): ImagePart[] {
  return pass ? resolveViews(pass, resources).flatMap((view) => resources.view(view) ?? []) : [];
}

/** The views of all attachments. */
export function viewsOf({ begin: { args }, isDynamic }: Pass, resources: Resources): string[] {
  if (!isDynamic) return framebufferViews(args.pRenderPassBegin, resources);
  return dynamicAttachments(args.pRenderingInfo).flatMap(({ imageView }) => imageView ?? []);
}

/** The attachments of a VkRenderingInfo that are there. */
export function dynamicAttachments(info: Fields): Fields[] {
  const { pColorAttachments = [], pDepthAttachment, pStencilAttachment } = info;
  return [...pColorAttachments, pDepthAttachment, pStencilAttachment].filter((each) => each?.imageView);
}

function framebufferViews({ framebuffer, pNext = [] }: Fields, resources: Resources): string[] {
  const link = pNext.find(({ sType }: Fields) => sType === "VkRenderPassAttachmentBeginInfo");
  return link?.pAttachments ?? resources.info(framebuffer)?.pAttachments ?? [];
}

/** The views that the end of a pass resolves into. */
export function resolveViews({ begin: { args }, isDynamic }: Pass, resources: Resources): string[] {
  if (isDynamic) {
    return dynamicAttachments(args.pRenderingInfo).flatMap(({ resolveImageView }) => resolveImageView ?? []);
  }
  const { renderPass } = args.pRenderPassBegin, views = framebufferViews(args.pRenderPassBegin, resources);
  const subpasses: Fields[] = resources.info(renderPass)?.pSubpasses ?? [];
  const references = subpasses.flatMap(({ pResolveAttachments = [], pNext = [] }) => [
    ...pResolveAttachments,
    ...pNext.flatMap(({ pDepthStencilResolveAttachment: each }: Fields) => each ?? []),
  ]);
  return references.filter(({ attachment }) => attachment !== VK_ATTACHMENT_UNUSED)
    .flatMap(({ attachment }) => views[attachment] ?? []);
}

/** Returns the layouts that a command gives to images. `pass` is that before the command. */
export function layoutChanges(call: RecordedCall, { resources, state: { pass } }: Scene): LayoutChange[] {
  const core = coreName(call.command), { args } = call;
  if (PASS_ENDS.test(core)) return pass && !pass.isDynamic ? finalLayouts(pass, resources) : [];
  return barriersOf(args).map(({ image, subresourceRange, oldLayout, newLayout }) => ({
    part: resources.part(image, subresourceRange),
    oldLayout,
    newLayout,
  }));
}

/** The image barriers of a command of any version. */
export function barriersOf({ pImageMemoryBarriers, pDependencyInfo, pDependencyInfos }: Fields): Fields[] {
  return pImageMemoryBarriers ?? pDependencyInfo?.pImageMemoryBarriers ??
    (pDependencyInfos ?? []).flatMap((each: Fields) => each.pImageMemoryBarriers ?? []);
}

function finalLayouts(pass: Pass, resources: Resources): LayoutChange[] {
  const attachments: Fields[] = resources.info(pass.begin.args.pRenderPassBegin.renderPass)?.pAttachments ?? [];
  return viewsOf(pass, resources).flatMap((view, index) => {
    const part = resources.view(view), { initialLayout, finalLayout } = attachments[index] ?? {};
    return part && finalLayout !== undefined ? [{ part, oldLayout: initialLayout, newLayout: finalLayout }] : [];
  });
}
