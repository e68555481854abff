import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_ATTACHMENT_LOAD_OP_CLEAR,
  VK_ATTACHMENT_LOAD_OP_LOAD,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SUBPASS_EXTERNAL,
} from "../../loader/gen/enums_core_gen.js";
import type {
  VkAttachmentDescription,
  VkFramebuffer,
  VkImageLayout,
  VkImageView,
  VkRect2D,
  VkRenderPass,
  VkSubpassDependency,
  VkSubpassDescription,
} from "../../loader/types.ts";
import { type Bench, ownedDevice, type Owning } from "./bench.ts";
import type { GpuImage } from "./image.ts";
import type { KnownImages, ViewFacts } from "./bare_image.ts";

/** An image that a pass draws into. */
export interface PassImage extends Pick<GpuImage, "view" | "format" | "width" | "height"> {
  /** The layout, which the pass changes. */
  layout: VkImageLayout;
}

/** The images that a pass draws into. */
export interface PassImages {
  readonly target: PassImage;
  readonly depth?: PassImage;
  /** `null` keeps what the images hold; any other value clears both. */
  readonly clear?: unknown;
}

/** A render pass over a target and an optional depth image. */
export interface Pass {
  /** The render pass. */
  readonly renderPass: VkRenderPass;
  /** The framebuffer with the pass's images. */
  readonly framebuffer: VkFramebuffer;
  /** Notes the images' layouts after the pass. */
  leave(): void;
}

const COLOR = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, DEPTH = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;

/** Makes a pass that waits for all earlier commands, and that all later commands wait for. */
export function makePass({ device, owned }: Owning, { target, depth, clear }: PassImages): Pass {
  const attachments: [PassImage, VkImageLayout][] = depth ? [[target, COLOR], [depth, DEPTH]] : [[target, COLOR]];
  const renderPass = device.vkCreateRenderPass({
    pAttachments: attachments.map(([image, layout]) => attachment(image, layout, clear !== null)),
    pSubpasses: [{
      pColorAttachments: [{ attachment: 0, layout: COLOR }],
      pDepthStencilAttachment: depth ? { attachment: 1, layout: DEPTH } : null,
    }],
    pDependencies: DEPENDENCIES,
  });
  owned.defer(() => device.vkDestroyRenderPass(renderPass));
  const { width, height } = target, pAttachments = attachments.map(([{ view }]) => view);
  const framebuffer = device.vkCreateFramebuffer({ renderPass, pAttachments, width, height, layers: 1 });
  owned.defer(() => device.vkDestroyFramebuffer(framebuffer));
  return { renderPass, framebuffer, leave: () => attachments.forEach(([image, layout]) => image.layout = layout) };
}

function attachment({ format, layout }: PassImage, used: VkImageLayout, clears: boolean): VkAttachmentDescription {
  const loadOp = clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  const storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  return {
    format,
    samples: VK_SAMPLE_COUNT_1_BIT,
    loadOp,
    storeOp,
    stencilLoadOp: loadOp,
    stencilStoreOp: storeOp,
    initialLayout: layout,
    finalLayout: used,
  };
}

const ALL = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, GRAPHICS = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
const MEMORY = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
const ACCESS = { srcAccessMask: MEMORY, dstAccessMask: MEMORY };
/** A pass of one subpass waits for all earlier commands, and all later commands wait for the pass. */
export const DEPENDENCIES: readonly VkSubpassDependency[] = [
  { ...ACCESS, srcSubpass: VK_SUBPASS_EXTERNAL, dstSubpass: 0, srcStageMask: ALL, dstStageMask: GRAPHICS },
  { ...ACCESS, srcSubpass: 0, dstSubpass: VK_SUBPASS_EXTERNAL, srcStageMask: GRAPHICS, dstStageMask: ALL },
];

/** An attachment of a pass. Default: the view's format and samples, contents that are kept, the layout of attachments. */
export interface ViewAttachment extends VkAttachmentDescription {
  /** The result of `view()`. */
  readonly view: VkImageView;
}

/** A pass of one subpass over views. Give its first three members to vkCmdBeginRenderPass. */
export interface ViewsPass {
  /** The render pass. */
  readonly renderPass: VkRenderPass;
  /** The framebuffer. */
  readonly framebuffer: VkFramebuffer;
  /** All of the first view. */
  readonly renderArea: VkRect2D;
}

/** The facts of a pass that pipelines need. */
export interface PassFacts {
  readonly samples: number;
  /** Number of colour attachments. */
  readonly colors: number;
  readonly width: number;
  readonly height: number;
}

/** Makes a pass that waits for all earlier commands, and that all later commands wait for. Returns its facts, too. */
export function makeViewsPass(
  { device, owned }: Bench,
  known: KnownImages,
  attachments: readonly ViewAttachment[],
  subpass: VkSubpassDescription,
): [ViewsPass, PassFacts] {
  if (attachments.length === 0) throw new TypeError("Cannot make a pass without attachments: give one view at least");
  const facts = attachments.map(({ view }) => known.facts(view)), [{ width, height, samples }] = facts;
  const own = ownedDevice(device, owned), whole = { ...subpassOf(facts), ...subpass };
  const renderPass = own.vkCreateRenderPass({
    pAttachments: attachments.map(({ view: _, ...each }, index) => ({ ...plainAttachment(facts[index]), ...each })),
    pSubpasses: [whole],
    pDependencies: DEPENDENCIES,
  });
  const pAttachments = attachments.map(({ view }) => view);
  const framebuffer = own.vkCreateFramebuffer({ renderPass, pAttachments, width, height, layers: 1 });
  const pass = { renderPass, framebuffer, renderArea: { extent: { width, height } } };
  return [pass, { samples, colors: whole.pColorAttachments?.length ?? 0, width, height }];
}

function isColor({ aspectMask }: ViewFacts): boolean {
  return aspectMask === VK_IMAGE_ASPECT_COLOR_BIT;
}

function layoutOf(facts: ViewFacts) {
  return isColor(facts) ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
}

function plainAttachment(facts: ViewFacts): VkAttachmentDescription {
  const layout = layoutOf(facts), { format, samples } = facts;
  return { format, samples, initialLayout: layout, finalLayout: layout } as VkAttachmentDescription;
}

/** All colours in their order, and the first view with depth or stencil. */
function subpassOf(all: readonly ViewFacts[]): VkSubpassDescription {
  const references = all.map((facts, attachment) => ({ attachment, layout: layoutOf(facts) }));
  return {
    pColorAttachments: references.filter((_, index) => isColor(all[index])),
    pDepthStencilAttachment: references.find((_, index) => !isColor(all[index])) ?? null,
  };
}
