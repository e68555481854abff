import { chance } from "./choices.ts";
import { isBlock } from "./formats.ts";
import type { Draft } from "./draft.ts";
import type { FuzzBuffer, FuzzImage } from "./resources.ts";
import type { Dependency, Use } from "./state.ts";
import type { Arguments } from "./writer.ts";

/** A use of a buffer, or of a part of an image: by default all of the image. */
export type Access =
  | Omit<Use, "layout"> & { readonly buffer: FuzzBuffer }
  | Use & { readonly image: FuzzImage; readonly mip?: number; readonly layer?: number; readonly layerCount?: number };

/** The accesses that the uses of one place in a program wait for. */
interface Needed {
  readonly srcStageMask: number;
  readonly dstStageMask: number;
  readonly buffers: readonly Arguments[];
  readonly images: readonly Arguments[];
}

interface Found {
  readonly dependency: Dependency;
  readonly barrier: Arguments;
}

/** VK_QUEUE_FAMILY_IGNORED. */
const IGNORED = 0xffff_ffff;

/**
 * Writes the barriers that uses need, of any kind that does what is needed. The
 * validation layer loses track of events in secondary command buffers, and of
 * events that images of several levels or aspects wait for.
 */
export function writeBarriers(draft: Draft, uses: readonly Access[]): void {
  const needed = neededBy(uses);
  if (needed.srcStageMask === 0) return;
  const { choices } = draft;
  if (draft.has("synchronization2") && chance(choices, 25)) writeBarrier2(draft, needed);
  else if (needed.images.length === 0 && !draft.isSecondary && chance(choices, 30)) writeEvent(draft, needed);
  else writeBarrier(draft, needed);
}

function neededBy(uses: readonly Access[]): Needed {
  const buffers = uses.flatMap((use) => "buffer" in use ? bufferBarrier(use) : []);
  const images = uses.flatMap((use) => "buffer" in use ? [] : imageBarriers(use));
  const all = [...buffers, ...images].map(({ dependency }) => dependency);
  return {
    srcStageMask: all.reduce((mask, { srcStage }) => mask | srcStage, 0),
    dstStageMask: all.reduce((mask, { use }) => mask | use.stage, 0),
    buffers: buffers.map(({ barrier }) => barrier),
    images: images.map(({ barrier }) => barrier),
  };
}

/** A global barrier does what those of the resources do, unless layouts change. */
function writeBarrier({ choices, writer }: Draft, { srcStageMask, dstStageMask, buffers, images }: Needed): void {
  const isGlobal = buffers.length > 0 && images.length === 0 && chance(choices, 30);
  writer.command("vkCmdPipelineBarrier", {
    srcStageMask,
    dstStageMask,
    dependencyFlags: 0,
    pMemoryBarriers: isGlobal
      ? buffers.map(({ srcAccessMask, dstAccessMask }) => ({ srcAccessMask, dstAccessMask }))
      : [],
    pBufferMemoryBarriers: isGlobal ? [] : buffers,
    pImageMemoryBarriers: images,
  });
}

function writeBarrier2({ writer }: Draft, { srcStageMask, dstStageMask, buffers, images }: Needed): void {
  const staged = (each: Arguments) => ({ ...each, srcStageMask, dstStageMask });
  writer.command("vkCmdPipelineBarrier2", {
    pDependencyInfo: { pBufferMemoryBarriers: buffers.map(staged), pImageMemoryBarriers: images.map(staged) },
  });
}

/** An event that is waited for where it was set does what a barrier does. */
function writeEvent({ writer }: Draft, { srcStageMask, dstStageMask, buffers }: Needed): void {
  const event = writer.create("VkEvent", {});
  writer.command("vkCmdSetEvent", { event, stageMask: srcStageMask });
  writer.command("vkCmdWaitEvents", {
    pEvents: [event],
    srcStageMask,
    dstStageMask,
    pMemoryBarriers: [],
    pBufferMemoryBarriers: buffers,
    pImageMemoryBarriers: [],
  });
}

function bufferBarrier({ buffer, stage, access }: Extract<Access, { buffer: FuzzBuffer }>): Found[] {
  const dependency = buffer.state.use({ stage, access, layout: 0 });
  if (!dependency) return [];
  const barrier = {
    srcAccessMask: dependency.srcAccess,
    dstAccessMask: access,
    srcQueueFamilyIndex: IGNORED,
    dstQueueFamilyIndex: IGNORED,
    buffer: buffer.name,
    offset: 0,
    size: buffer.size,
  };
  return [{ dependency, barrier }];
}

/**
 * Makes barriers for an image. A compressed image is always named whole: the validation layer takes a part that is
 * smaller than a block for larger.
 */
function imageBarriers({ image, mip, layer, layerCount = 1, ...use }: Extract<Access, { image: FuzzImage }>): Found[] {
  const parts = image.subresources.filter((part) =>
    isBlock(image.format) || (mip === undefined || part.mip === mip) &&
      (layer === undefined || part.layer >= layer && part.layer < layer + layerCount)
  );
  return parts.flatMap((part) => {
    const dependency = image.state(part.mip, part.layer).use(use);
    if (!dependency) return [];
    const barrier = {
      srcAccessMask: dependency.srcAccess,
      dstAccessMask: use.access,
      oldLayout: dependency.oldLayout,
      newLayout: use.layout,
      srcQueueFamilyIndex: IGNORED,
      dstQueueFamilyIndex: IGNORED,
      image: image.name,
      subresourceRange: {
        aspectMask: image.aspects,
        baseMipLevel: part.mip,
        levelCount: 1,
        baseArrayLayer: part.layer,
        layerCount: 1,
      },
    };
    return [{ dependency, barrier }];
  });
}
