import { chance, type Choices, pick } from "../choices.ts";
import type { Extent } from "../resources.ts";
import type { Arguments } from "../writer.ts";

/** A part of a level of an image. */
export interface Box extends Extent {
  /** VkOffset3D. */
  readonly offset: { readonly x: number; readonly y: number; readonly z: number };
}

/** Returns a box inside an extent, of a given size or of any. */
export function boxIn(choices: Choices, room: Extent, size?: Extent): Box {
  const length = (most: number) => chance(choices, 50) ? most : choices.integer(1, most);
  const { width, height, depth } = size ??
    { width: length(room.width), height: length(room.height), depth: length(room.depth) };
  const offset = {
    x: choices.integer(0, room.width - width),
    y: choices.integer(0, room.height - height),
    z: choices.integer(0, room.depth - depth),
  };
  return { width, height, depth, offset };
}

/** Returns a box of whole blocks inside an extent; only blocks at the end may be cut off. */
export function blocksIn(choices: Choices, room: Extent, [across, down]: readonly [number, number]): Box {
  const blocks = { width: Math.ceil(room.width / across), height: Math.ceil(room.height / down), depth: room.depth };
  const { offset: { x, y, z }, width, height, depth } = boxIn(choices, blocks),
    offset = { x: x * across, y: y * down, z };
  return {
    width: Math.min(width * across, room.width - offset.x),
    height: Math.min(height * down, room.height - offset.y),
    depth,
    offset,
  };
}

/** Returns two boxes of one size, of whole blocks, inside two extents; `undefined` if no block fits. */
export function sameBoxes(
  choices: Choices,
  one: Extent,
  other: Extent,
  [across, down]: readonly [number, number],
): [Box, Box] | undefined {
  const blocks = ({ width, height, depth }: Extent) => (
    { width: Math.floor(width / across), height: Math.floor(height / down), depth }
  );
  const from = blocks(one), to = blocks(other);
  const least = (side: keyof Extent) => Math.min(from[side], to[side]);
  const room = { width: least("width"), height: least("height"), depth: least("depth") };
  if (room.width === 0 || room.height === 0) return undefined;
  const size = boxIn(choices, room),
    texels = ({ offset, width, height, depth }: Box): Box => (
      {
        width: width * across,
        height: height * down,
        depth,
        offset: { ...offset, x: offset.x * across, y: offset.y * down },
      }
    );
  return [texels(boxIn(choices, from, size)), texels(boxIn(choices, to, size))];
}

/** Returns VkImageSubresourceLayers. */
export function subresource(
  aspectMask: number,
  mipLevel: number,
  baseArrayLayer: number,
  layerCount = 1,
): Arguments {
  return { aspectMask, mipLevel, baseArrayLayer, layerCount };
}

/** Returns the members of a region for a box, with their prefix. */
export function offsetOf(prefix: string, { offset, width, height, depth }: Box): Arguments {
  return { [`${prefix}Offset`]: offset, [`${prefix}Extent`]: { width, height, depth } };
}

/** Columns of the source, and as many of the destination, of the smallest blit of a scale. */
type Ratio = readonly [source: number, target: number];
/** Sizes of source and destination of a blit, where no sample lies between two texels. */
const NEAREST: readonly Ratio[] = [[1, 1], [1, 2], [1, 4], [3, 1], [1, 3], [5, 1]];
/** Ratios whose samples lie in the middle of texels or at a half or a quarter between two. */
const LINEAR: readonly Ratio[] = [[1, 1], [2, 1], [3, 1], [4, 1], [1, 2]];

/**
 * Returns the corners of the two boxes of a blit. A linear filter reads beside a
 * box that is enlarged, so that such a box is as large as the image.
 */
export function cornersOf(
  choices: Choices,
  from: Extent,
  to: Extent,
  isLinear: boolean,
): { source: Arguments[]; target: Arguments[] } {
  const spans = (["width", "height", "depth"] as const).map((side) => spanOf(choices, from[side], to[side], isLinear));
  const corner = (which: "source" | "target", end: 0 | 1) => {
    const [x, y, z] = spans.map((span) => span[which][end]);
    return { x, y, z };
  };
  return { source: [corner("source", 0), corner("source", 1)], target: [corner("target", 0), corner("target", 1)] };
}

/** In one direction; the target may be mirrored. */
function spanOf(choices: Choices, from: number, to: number, isLinear: boolean) {
  const isWhole = ([source, target]: Ratio) => isLinear && target > source;
  const room = ([source, target]: Ratio) => Math.min(Math.floor(from / source), Math.floor(to / target));
  const fitting = (isLinear ? LINEAR : NEAREST).filter((ratio) => room(ratio) >= (isWhole(ratio) ? from : 1));
  const ratio = pick(choices, fitting), [one, other] = ratio;
  const times = isWhole(ratio) ? from : choices.integer(1, room(ratio));
  const start = choices.integer(0, from - times * one), place = choices.integer(0, to - times * other);
  const target = [place, place + times * other];
  return { source: [start, start + times * one], target: to > 1 && chance(choices, 20) ? target.reverse() : target };
}
