import type { Fields } from "../../record/line.ts";
import {
  VK_IMAGE_TYPE_3D,
  VK_REMAINING_ARRAY_LAYERS,
  VK_REMAINING_MIP_LEVELS,
  VK_WHOLE_SIZE,
} from "../../../../loader/gen/enums_core_gen.js";

/** A binding of a descriptor set layout. */
export interface Binding {
  readonly binding: number;
  readonly descriptorType: number;
  readonly descriptorCount?: number;
}

/** The facts about living objects, by name: the create infos that say how large they are. */
export interface Sizes {
  /** The create info of an object that a call made; `undefined` for others, and for images of swapchains. */
  info(name: unknown): Fields | undefined;
  /** Whether a buffer or image has memory. */
  isBound(name: string): boolean;
  /** The bindings of a descriptor set, or the layouts of a pipeline layout: each a list of bindings. */
  layouts(name: string): readonly (readonly Binding[])[] | undefined;
  /** The buffer of a dynamic descriptor of a set; `undefined` for one that nobody wrote. */
  dynamic(set: string, binding: number, element: number): Fields | undefined;
}

/** Levels and layers of an image. */
export interface Part {
  readonly mipLevel?: number;
  readonly baseMipLevel?: number;
  readonly levelCount?: number;
  readonly baseArrayLayer?: number;
  readonly layerCount?: number;
}

const DIMENSIONS = [["width", "x"], ["height", "y"], ["depth", "z"]] as const;

/** A recorded number without a sign, of 64 bits: programs in JavaScript may write -1 for all bits. */
export function wide(value: unknown): bigint {
  return BigInt.asUintN(64, BigInt((value ?? 0) as bigint | number | string));
}

/** A recorded number without a sign, of 32 bits. */
export function whole(value: unknown): number {
  return Number(value ?? 0) >>> 0;
}

/** Throws a `TypeError` unless a buffer has memory, and so many bytes from an offset on. */
export function requireRoomIn(sizes: Sizes, buffer: unknown, offset: unknown, size: unknown = 0n): void {
  const info = sizes.info(buffer);
  if (!info) return;
  requireMemory(sizes, buffer);
  const start = wide(offset), wanted = wide(size) === VK_WHOLE_SIZE ? 0n : wide(size), all = wide(info.size);
  if (start + wanted <= all) return;
  throw new TypeError(`${buffer} has ${all} bytes, and ${wanted} at ${start} are asked for; name bytes that it has`);
}

/** Throws a `TypeError` unless a buffer or image has memory. */
export function requireMemory(sizes: Sizes, name: unknown): void {
  if (sizes.isBound(name as string)) return;
  throw new TypeError(`${name} has no memory yet; let the line that binds some come before`);
}

/** Throws a `TypeError` unless an image has memory, and the levels and layers of a part. */
export function requirePart(sizes: Sizes, image: unknown, part: Part = {}): void {
  const info = sizes.info(image);
  if (!info) return;
  requireMemory(sizes, image);
  const level = whole(part.mipLevel ?? part.baseMipLevel), levels = countOf(part.levelCount, VK_REMAINING_MIP_LEVELS);
  requireCount(`${image}`, "levels", level, levels, whole(info.mipLevels ?? 1));
  if (info.imageType === VK_IMAGE_TYPE_3D) return; // slices may be layers
  const layers = countOf(part.layerCount, VK_REMAINING_ARRAY_LAYERS);
  requireCount(`${image}`, "layers", whole(part.baseArrayLayer), layers, whole(info.arrayLayers ?? 1));
}

/** The count of levels or layers; one for those that remain, of which there is one at least. */
function countOf(count: unknown, remaining: number): number {
  const found = count === undefined ? 1 : whole(count);
  return found === remaining ? 1 : found;
}

/** Throws a `TypeError` unless there are so many of something from the first on. */
export function requireCount(name: string, what: string, first: number, count: number, all: number): void {
  if (first + count <= all) return;
  throw new TypeError(
    `${name} has ${all} ${what}, and ${count} from ${first} on are asked for; name those that it has`,
  );
}

/** Throws a `TypeError` unless an image has all texels of a box in a level. */
export function requireBox(sizes: Sizes, image: unknown, part: Part, offset: Fields = {}, extent: Fields = {}): void {
  requirePart(sizes, image, part);
  const all: Fields | undefined = sizes.info(image)?.extent;
  for (const [side, axis] of all ? DIMENSIONS : []) {
    const most = Math.max(1, whole(all![side] ?? 1) >>> Math.min(31, whole(part.mipLevel)));
    const start = Number(offset[axis] ?? 0), size = whole(extent[side]);
    if (start >= 0 && start + size <= most) continue;
    throw new TypeError(
      `level ${
        whole(part.mipLevel)
      } of ${image} has a ${side} of ${most}, and ${size} from ${start} on are asked for; ` +
        "name texels that it has",
    );
  }
}
