import { ASPECT_BITS, formatOfPiece, layerSize } from "../compare/contents/piece.ts";
import { numberAt } from "../../../loader/texels/number.ts";
import { aspectsOf } from "../../../loader/texels/format.ts";
import type { ImageFacts, ImagePart } from "../state_tracker/resources.ts";
import type { Fields } from "../record/line.ts";
import type { Contents, TexelPlace } from "./types.ts";

/** A texel with everything that its place leaves to defaults. */
export type Texel = Required<TexelPlace>;

/**
 * Fills in the defaults of a place.
 *
 * @throws {TypeError} if the image has no such texel.
 */
export function texelOf(place: TexelPlace, { format, extent, mipLevels, arrayLayers, samples }: ImageFacts): Texel {
  const [first] = aspectsOf(format);
  if (first === undefined) throw new TypeError(`Cannot follow ${place.image}: VkFormat ${format} has several planes`);
  const { level = 0, layer = 0, sample = 0, z = 0, aspect = first } = place;
  const at = (length: number) => Math.max(1, length >> level);
  const bounds = {
    x: at(extent.width),
    y: at(extent.height),
    z: at(extent.depth),
    level: mipLevels,
    layer: arrayLayers,
    sample: samples,
  };
  const texel = { ...place, level, layer, sample, z, aspect };
  for (const [name, count] of Object.entries(bounds)) {
    const value = texel[name as keyof typeof bounds];
    if (Number.isSafeInteger(value) && value >= 0 && value < count) continue;
    throw new TypeError(`${place.image} has no texel with ${name} ${value}: ${name} is from 0 to ${count - 1}`);
  }
  if (aspectsOf(format).includes(aspect)) return texel;
  throw new TypeError(`${place.image} has no ${aspect}: its aspects are ${aspectsOf(format).join(" and ")}`);
}

/** Whether a part of an image has a texel's level, layer and aspect. A slice may be a layer of a view. */
export function isInPart({ image, level, layer, z, aspect }: Texel, part: ImagePart, isVolume: boolean): boolean {
  const isIn = (value: number, first: number, count: number) => value >= first && value < first + count;
  if (part.image !== image || !(part.aspectMask & ASPECT_BITS[aspect])) return false;
  if (!isIn(level, part.baseMipLevel, part.levelCount)) return false;
  return isIn(layer, part.baseArrayLayer, part.layerCount) || isVolume && isIn(z, part.baseArrayLayer, part.layerCount);
}

/** Whether a texel is in a VkRect2D. */
export function isInRect({ x, y }: Pick<Texel, "x" | "y">, { offset, extent }: Fields): boolean {
  return x >= offset.x && x < offset.x + extent.width && y >= offset.y && y < offset.y + extent.height;
}

/** Whether a texel is in the destination of a region of a copy, a blit or a resolve. */
export function isInRegion({ x, y, z }: Texel, region: Fields): boolean {
  const [one, other] = region.dstOffsets ?? [region.dstOffset ?? region.imageOffset];
  const extent = region.extent ?? region.imageExtent;
  const depth = Math.max(extent?.depth ?? 1, region.srcSubresource?.layerCount ?? 1);
  const end = other ?? { x: one.x + extent.width, y: one.y + extent.height, z: one.z + depth };
  const isIn = (value: number, from: number, to: number) => value >= Math.min(from, to) && value < Math.max(from, to);
  return isIn(x, one.x, end.x) && isIn(y, one.y, end.y) && isIn(z, one.z, end.z);
}

/** Returns the bytes of a texel, or of its block, among contents; `undefined` while its layer has none. */
export function texelBytes(contents: readonly Contents[], texel: Texel): Uint8Array | undefined {
  const name = `${texel.image} level ${texel.level} ${texel.aspect}`;
  const found = contents.find(({ piece }) => piece.name === name),
    index = found?.piece.image?.layers.indexOf(texel.layer);
  if (!found || index === undefined || index < 0) return undefined;
  const { blockSize, blockExtent } = formatOfPiece(found.piece)!, { width, height, samples } = found.piece.image!;
  const across = Math.ceil(width / blockExtent[0]), down = Math.ceil(height / blockExtent[1]);
  const [column, row, slice] = [texel.x, texel.y, texel.z].map((value, axis) => Math.floor(value / blockExtent[axis]));
  const start = layerSize(found.piece) * (index * samples + texel.sample);
  const at = start + ((slice * down + row) * across + column) * blockSize;
  return found.bytes.slice(at, at + blockSize);
}

const ORDER = "RGBADSE";

/**
 * Returns the components of a texel as numbers: red, green, blue and alpha, depth, or stencil. Floats are as they are,
 * the rest is the stored whole number. A block of a compressed format is its bytes.
 */
export function numbersOf(bytes: Uint8Array | undefined, format: ReturnType<typeof formatOfPiece>): number[] {
  if (!bytes || !format) return [];
  const { components } = format;
  if (components.some(({ bits }) => bits === 0)) return [...bytes];
  return [...components].sort((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name))
    .map((component) => numberAt(bytes, 0, component));
}

/** The part of an image that is read for a texel: one aspect of one level. */
export function partOf({ image, level, aspect }: Texel): ImagePart {
  return {
    image,
    aspectMask: ASPECT_BITS[aspect],
    baseMipLevel: level,
    levelCount: 1,
    baseArrayLayer: 0,
    layerCount: 1,
  };
}
