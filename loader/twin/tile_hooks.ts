import { peek64 } from "../../ffi/machine.ts";
import { structAt, type StructObject } from "../codec/codec.ts";
import {
  VK_ATTACHMENT_LOAD_OP_LOAD,
  VK_ATTACHMENT_STORE_OP_STORE,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
} from "../gen/enums_core_gen.js";
import type { AnyHook } from "../layer.ts";

/** The objects that the model follows. */
interface Known {
  /** VkImageUsageFlags by image. */
  readonly images: Map<bigint, number>;
  /** Images by view. */
  readonly views: Map<bigint, bigint>;
  /** Attachments by render pass. */
  readonly passes: Map<bigint, readonly StructObject[]>;
}

/** A GPU that draws in tiles loads and stores each attachment of a pass: this is a model, and measures nothing. */
const MODEL = "model of tile memory";

/**
 * Makes the hooks of a model of tile memory, which only warns: of attachments
 * that never leave the tile and have memory all the same, of loads of contents
 * that a pass does not need, and of resolves outside of a pass.
 */
export function tileHooks(warn: (sentence: string) => void): Record<string, AnyHook> {
  const known: Known = { images: new Map(), views: new Map(), passes: new Map() };
  const say = (sentence: string) => warn(`${MODEL}: ${sentence}`);
  const pass = (struct: string): AnyHook => (next, device, info, allocator, out) => {
    const result = next(device, info, allocator, out), { pAttachments } = structAt(struct, info);
    const attachments = (pAttachments ?? []) as StructObject[];
    if (result >= 0) known.passes.set(peek64(out), attachments);
    attachments.forEach((each, index) => judgeLoad(each, index, say));
    return result;
  };
  const resolve: AnyHook = (next, ...args) => {
    say("vkCmdResolveImage reads and writes whole images; a resolve attachment of the pass would stay in the tile");
    return next(...args);
  };
  return {
    ...objectHooks(known),
    vkCreateRenderPass: pass("VkRenderPassCreateInfo"),
    vkCreateRenderPass2: pass("VkRenderPassCreateInfo2"),
    vkCreateRenderPass2KHR: pass("VkRenderPassCreateInfo2"),
    vkCreateFramebuffer(next, device, info, ...rest) {
      judgeTransients(structAt("VkFramebufferCreateInfo", info), known, say);
      return next(device, info, ...rest);
    },
    vkCmdResolveImage: resolve,
    vkCmdResolveImage2: resolve,
    vkCmdResolveImage2KHR: resolve,
  };
}

/** Follows images and views. */
function objectHooks({ images, views }: Known): Record<string, AnyHook> {
  return {
    vkCreateImage(next, device, info, allocator, out) {
      const result = next(device, info, allocator, out);
      if (result >= 0) images.set(peek64(out), structAt("VkImageCreateInfo", info).usage as number);
      return result;
    },
    vkDestroyImage(next, device, image, allocator) {
      images.delete(image);
      return next(device, image, allocator);
    },
    vkCreateImageView(next, device, info, allocator, out) {
      const result = next(device, info, allocator, out);
      if (result >= 0) views.set(peek64(out), structAt("VkImageViewCreateInfo", info).image as bigint);
      return result;
    },
    vkDestroyImageView(next, device, view, allocator) {
      views.delete(view);
      return next(device, view, allocator);
    },
  };
}

function judgeLoad({ loadOp, initialLayout }: StructObject, index: number, say: (sentence: string) => void): void {
  if (loadOp !== VK_ATTACHMENT_LOAD_OP_LOAD || initialLayout !== VK_IMAGE_LAYOUT_UNDEFINED) return;
  say(`attachment ${index} of a render pass loads contents that its layout VK_IMAGE_LAYOUT_UNDEFINED throws away`);
}

/** An attachment that is neither loaded nor stored needs no memory but the tile's. */
function judgeTransients(info: StructObject, known: Known, say: (sentence: string) => void): void {
  const attachments = known.passes.get(info.renderPass as bigint) ?? [], views = (info.pAttachments ?? []) as bigint[];
  views.forEach((view, index) => {
    const usage = known.images.get(known.views.get(view) ?? 0n), { loadOp, storeOp } = attachments[index] ?? {};
    const staysInTile = loadOp !== VK_ATTACHMENT_LOAD_OP_LOAD && storeOp !== VK_ATTACHMENT_STORE_OP_STORE;
    if (usage === undefined || !staysInTile || (usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) !== 0) return;
    say(
      `attachment ${index} is neither loaded nor stored, and its image lacks VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT`,
    );
  });
}
