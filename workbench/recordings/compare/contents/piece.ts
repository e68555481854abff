import {
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_LAYOUT_PREINITIALIZED,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
} from "../../../../loader/gen/enums_core_gen.js";
import type { StateTracker } from "../../state_tracker/state_tracker.ts";
import type { Write } from "../../state_tracker/effects.ts";
import type { ImageFacts } from "../../state_tracker/resources.ts";
import { isPackable } from "./pack.ts";
import { aspectsOf, type Format, formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";

/** Contents that are compared as one: a buffer, or one aspect of a level of an image with all of its layers. */
export interface ComparedPiece {
  /** The piece's name, such as `"VkBuffer#3"` or `"VkImage#2 level 0 depth"`. */
  readonly name: string;
  /** The buffer or image. */
  readonly resource: string;
  /** The part of an image that is read; undefined for buffers. */
  readonly image?: {
    readonly level: number;
    readonly aspect: ImageAspect;
    /** VkFormat. */
    readonly format: number;
    /** The layers that have contents. */
    readonly layers: readonly number[];
    /**
     * The number of samples of a texel. The contents of a layer are all first samples, then all second ones, and so on.
     */
    readonly samples: number;
    /** Texels of the level. */
    readonly width: number;
    readonly height: number;
    readonly depth: number;
  };
}

/** The pieces that can be read, and those that cannot, with the reason. */
export interface Pieces {
  readonly readable: readonly ComparedPiece[];
  readonly unread: ReadonlyMap<string, string>;
}

/** VK_IMAGE_ASPECT_… bits by aspect. */
export const ASPECT_BITS: Readonly<Record<ImageAspect, number>> = {
  color: VK_IMAGE_ASPECT_COLOR_BIT,
  depth: VK_IMAGE_ASPECT_DEPTH_BIT,
  stencil: VK_IMAGE_ASPECT_STENCIL_BIT,
};

/** The objects that live at a place of a recording, and the layouts of images there. */
export interface PlaceOfPieces {
  readonly resources: StateTracker["resources"];
  readonly layouts: Pick<StateTracker["layouts"], "of">;
}

/** Returns the pieces in which something was written, each once. */
export function piecesOf(writes: readonly Write[], tracker: PlaceOfPieces): Pieces {
  const readable = new Map<string, ComparedPiece>(), unread = new Map<string, string>();
  for (const write of writes) {
    if ("buffer" in write) {
      if (tracker.resources.info(write.buffer)) {
        readable.set(write.buffer, { name: write.buffer, resource: write.buffer });
      }
      continue;
    }
    const facts = tracker.resources.image(write.image);
    const reason = facts && reasonAgainst(facts);
    if (reason) unread.set(write.image, reason);
    else if (facts) { for (const piece of imagePieces(write, facts, tracker)) readable.set(piece.name, piece); }
  }
  return { readable: [...readable.values()], unread };
}

function reasonAgainst({ format, samples, usage }: ImageFacts): string | undefined {
  if (usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) return "a transient attachment cannot be copied";
  const aspects = aspectsOf(format);
  if (aspects.length === 0) return `VkFormat ${format} has several planes`;
  const isClear = samples === 1 || aspects.every((aspect) => isPackable(formatOf(format, aspect)));
  return isClear ? undefined : `several samples of VkFormat ${format} cannot be read by a shader`;
}

function imagePieces(
  { image, baseMipLevel, levelCount, aspectMask }: Exclude<Write, { buffer: string }>,
  facts: ImageFacts,
  { layouts }: PlaceOfPieces,
): ComparedPiece[] {
  const aspects = aspectsOf(facts.format).filter((each) => aspectMask & ASPECT_BITS[each]);
  const levels = Array.from({ length: levelCount }, (_, index) => baseMipLevel + index);
  return levels.flatMap((level) => {
    const layers = Array.from({ length: facts.arrayLayers }, (_, layer) => layer).filter((layer) =>
      ![undefined, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PREINITIALIZED].includes(layouts.of(image, level, layer))
    );
    if (layers.length === 0) return [];
    const [width, height, depth] = [facts.extent.width, facts.extent.height, facts.extent.depth].map((length) =>
      Math.max(1, length >> level)
    );
    return aspects.map((aspect) => ({
      name: `${image} level ${level} ${aspect}`,
      resource: image,
      image: { level, aspect, format: facts.format, layers, samples: facts.samples, width, height, depth },
    }));
  });
}

/** Returns how the texels of a piece lie in its bytes; undefined for buffers. */
export function formatOfPiece({ image }: ComparedPiece): Format | undefined {
  return image && formatOf(image.format, image.aspect);
}

/** Returns the bytes of one sample of one layer of a piece of an image. */
export function layerSize(piece: ComparedPiece): number {
  const { blockSize, blockExtent } = formatOfPiece(piece)!, { width, height, depth } = piece.image!;
  const blocks = [width, height, depth].map((length, axis) => Math.ceil(length / blockExtent[axis]));
  return blocks[0] * blocks[1] * blocks[2] * blockSize;
}

/** Returns the bytes of a piece. */
export function sizeOf(piece: ComparedPiece, tracker: StateTracker): number {
  if (piece.image) return layerSize(piece) * piece.image.layers.length * piece.image.samples;
  return Number(tracker.resources.info(piece.resource)!.size);
}
