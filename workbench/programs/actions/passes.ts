import {
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_LOAD_OP_DONT_CARE,
  VK_ATTACHMENT_LOAD_OP_LOAD,
  VK_ATTACHMENT_STORE_OP_DONT_CARE,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_ATTACHMENT_UNUSED,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_RESOLVE_MODE_AVERAGE_BIT,
  VK_RESOLVE_MODE_NONE,
  VK_SUBPASS_EXTERNAL,
} from "../../../loader/gen/enums_core_gen.js";
import { ACCESS, LAYOUT, STAGE } from "../bits.ts";
import { clearColor, clearDepth } from "../contents.ts";
import { hasDepth, hasStencil } from "../formats.ts";
import type { Model } from "../model.ts";
import type { Arguments } from "../writer.ts";
import { viewOf } from "./compute.ts";
import type { Attachment, Pass } from "./pass.ts";

/** Returns the render pass object of a pass; `undefined` if it has none. */
export function renderPassOf(model: Model, pass: Pass): string | undefined {
  return pass.isDynamic ? undefined : objectsOf(model, pass).renderPass;
}

/** Begins a pass; its commands may be in a secondary command buffer. */
export function beginPass(model: Model, pass: Pass, inSecondary: boolean): void {
  const renderArea = { offset: { x: 0, y: 0 }, extent: { width: pass.width, height: pass.height } };
  if (pass.isDynamic) return beginRendering(model, pass, renderArea, inSecondary);
  const pRenderPassBegin = {
    ...objectsOf(model, pass),
    renderArea,
    pClearValues: attachmentsOf(pass).map(({ image }) => clearOf(model, image)),
  };
  model.writer.command("vkCmdBeginRenderPass", { pRenderPassBegin, contents: inSecondary ? 1 : 0 });
}

/** Goes on with the next subpass, whose commands may be in a secondary command buffer. */
export function nextSubpass({ writer }: Model, inSecondary: boolean): void {
  writer.command("vkCmdNextSubpass", { contents: inSecondary ? 1 : 0 });
}

/** Ends a pass. */
export function endPass({ writer }: Model, { isDynamic }: Pass): void {
  writer.command(isDynamic ? "vkCmdEndRendering" : "vkCmdEndRenderPass");
}

/** Returns the VkCommandBufferInheritanceInfo for a subpass that has begun. */
export function inheritanceOf(model: Model, pass: Pass, subpass: number): Arguments {
  const objects = pass.isDynamic ? undefined : objectsOf(model, pass);
  return objects ? { ...objects, subpass } : { pNext: [{ ...renderingInfo(pass), ...INHERITED(pass) }] };
}

const INHERITED = ({ samples }: Pass) => ({
  sType: "VkCommandBufferInheritanceRenderingInfo",
  rasterizationSamples: samples,
  flags: 0,
});

/** Returns the members that name the formats of a pass without an object. */
export function renderingInfo({ colors, depth }: Pass): Arguments {
  const { format } = depth?.image ?? {};
  return {
    viewMask: 0,
    pColorAttachmentFormats: colors.map(({ image }) => image.format.value),
    depthAttachmentFormat: format && hasDepth(format) ? format.value : 0,
    stencilAttachmentFormat: format && hasStencil(format) ? format.value : 0,
  };
}

/** Returns the attachments: those of colours, then that of depth, then those that are resolved to. */
function attachmentsOf({ colors, depth }: Pass): Attachment[] {
  return [...colors, ...depth ? [depth] : [], ...colors.flatMap(({ resolve }) => resolve ?? [])];
}

function view(model: Model, { image, mip, layer }: Attachment): string {
  return viewOf(model, image.name, image.format.value, 1, { baseMipLevel: mip, baseArrayLayer: layer }, image.aspects);
}

function clearOf(model: Model, { aspects, format }: Attachment["image"]): Arguments {
  if (aspects === 1) return { color: clearColor(model.choices, format) };
  return { depthStencil: { depth: clearDepth(model.choices), stencil: model.choices.integer(0, 255) } };
}

function beginRendering(model: Model, pass: Pass, renderArea: Arguments, inSecondary: boolean): void {
  const info = (attachment: Attachment, imageLayout: number) => ({
    imageView: view(model, attachment),
    imageLayout,
    ...resolvedTo(model, attachment),
    loadOp: attachment.isCleared ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
    storeOp: VK_ATTACHMENT_STORE_OP_STORE,
    clearValue: clearOf(model, attachment.image),
  });
  const depth = pass.depth && info(pass.depth, LAYOUT.depth), format = pass.depth?.image.format;
  model.writer.command("vkCmdBeginRendering", {
    pRenderingInfo: {
      flags: inSecondary ? 1 : 0,
      renderArea,
      layerCount: 1,
      viewMask: 0,
      pColorAttachments: pass.colors.map((each) => info(each, LAYOUT.color)),
      ...depth && hasDepth(format!) && { pDepthAttachment: depth },
      ...depth && hasStencil(format!) && { pStencilAttachment: depth },
    },
  });
}

/** The members that say where an attachment of dynamic rendering is resolved to. */
function resolvedTo(model: Model, { resolve }: Attachment): Arguments {
  if (!resolve) return { resolveMode: VK_RESOLVE_MODE_NONE };
  const resolveImageView = view(model, resolve);
  return { resolveMode: VK_RESOLVE_MODE_AVERAGE_BIT, resolveImageView, resolveImageLayout: LAYOUT.color };
}

function objectsOf(model: Model, pass: Pass): { renderPass: string; framebuffer: string } {
  if (pass.objects) return pass.objects;
  const pAttachments = attachmentsOf(pass).map((attachment) => describe(attachment));
  const last = pass.subpasses - 1;
  const renderPass = model.writer.create("VkRenderPass", {
    pAttachments,
    pSubpasses: Array.from({ length: pass.subpasses }, (_, index) => subpassOf(pass, index === last)),
    pDependencies: [
      dependency(VK_SUBPASS_EXTERNAL, 0),
      ...last > 0 ? [dependency(0, last)] : [],
      dependency(last, VK_SUBPASS_EXTERNAL),
    ],
  });
  const framebuffer = model.writer.create("VkFramebuffer", {
    renderPass,
    pAttachments: attachmentsOf(pass).map((each) => view(model, each)),
    width: pass.width,
    height: pass.height,
    layers: 1,
  });
  return pass.objects = { renderPass, framebuffer };
}

function describe({ image, isCleared }: Attachment): Arguments {
  const layout = image.aspects === 1 ? LAYOUT.color : LAYOUT.depth, { format } = image;
  const loadOp = isCleared ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD, isUsed = hasStencil(format);
  return {
    format: format.value,
    samples: image.shape.samples,
    loadOp: image.aspects === 4 ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : loadOp,
    storeOp: image.aspects === 4 ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
    stencilLoadOp: isUsed ? loadOp : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
    stencilStoreOp: isUsed ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
    initialLayout: layout,
    finalLayout: layout,
  };
}

function subpassOf(pass: Pass, isLast: boolean): Arguments {
  const { colors, depth } = pass, all = attachmentsOf(pass);
  const reference = (attachment: number) => ({ attachment, layout: LAYOUT.color });
  const resolved = ({ resolve }: Attachment) => reference(resolve ? all.indexOf(resolve) : VK_ATTACHMENT_UNUSED);
  return {
    pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS,
    pColorAttachments: colors.map((_, attachment) => reference(attachment)),
    ...isLast && colors.some(({ resolve }) => resolve) && { pResolveAttachments: colors.map(resolved) },
    ...depth && { pDepthStencilAttachment: { attachment: colors.length, layout: LAYOUT.depth } },
  };
}

/** The barriers before and after a pass do more; these only name the stages. */
function dependency(srcSubpass: number, dstSubpass: number): Arguments {
  const stages = STAGE.color | STAGE.depth, access = ACCESS.color | ACCESS.depth;
  return {
    srcSubpass,
    dstSubpass,
    srcStageMask: stages,
    dstStageMask: stages,
    srcAccessMask: access,
    dstAccessMask: access,
    dependencyFlags: 0,
  };
}
