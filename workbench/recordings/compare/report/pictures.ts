import { numberAt } from "../../../../loader/texels/number.ts";
import type { Component, Format } from "../../../../loader/texels/format.ts";
import { formatOfPiece, layerSize } from "../contents/piece.ts";
import type { PieceDifference } from "../finding.ts";

/** A picture of RGBA bytes. */
interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** One slice of an image on both drivers, as far as the page shows the slice. */
export interface PicturePair {
  readonly pictures: readonly [Rgba, Rgba];
  /** The same with alpha, which is other wherever bytes differ that the colours do not show. */
  readonly marked: readonly [Rgba, Rgba];
  /** The same slice of earlier contents. */
  readonly earlier?: Rgba;
  /** The place of the left upper pixel, in texels or blocks. */
  readonly x: number;
  readonly y: number;
  /** The remarks that a reader of the pictures needs. */
  readonly notes: readonly string[];
}

/** Width and height of what is shown at most. */
const MOST = 1024;

/** Returns the pictures of an image that differs, in the layer and the slice of the first texel that differs. */
export function picturesOf(
  { piece, at }: PieceDifference,
  contents: readonly [Uint8Array, Uint8Array],
  earlier?: Uint8Array,
): PicturePair {
  const format = formatOfPiece(piece)!,
    { layers, samples, width, height } = piece.image!,
    { layer, sample = 0, z } = at!;
  const across = Math.ceil(width / format.blockExtent[0]), down = Math.ceil(height / format.blockExtent[1]);
  const start = (layers.indexOf(layer) * samples + sample) * layerSize(piece) +
    Math.floor(z / format.blockExtent[2]) * across * down * format.blockSize;
  const slices = [...contents, ...earlier ? [earlier] : []].map((bytes) =>
    bytes.subarray(start, start + across * down * format.blockSize)
  );
  const crop = cropOf(slices, across, down, format.blockSize);
  const shown = slices.map((bytes) => cropped(bytes, across, crop, format.blockSize));
  const range = rangeOf(format, shown), isCropped = crop.width < across || crop.height < down;
  const pictures = shown.map((bytes) => ({ width: crop.width, height: crop.height, data: rgba(format, bytes, range) }));
  return {
    pictures: [pictures[0], pictures[1]],
    ...earlier && { earlier: pictures[2] },
    marked: [pictures[0], { ...pictures[1], data: markedData(shown, format.blockSize, pictures[1].data) }],
    x: crop.x,
    y: crop.y,
    notes: [
      ...isCropped ? [`cropped: ${crop.width} × ${crop.height} of ${across} × ${down}, from ${crop.x}, ${crop.y}`] : [],
      ...isCompressed(format) ? ["compressed: one pixel is one block, and its colour the first three bytes"] : [],
      ...range ? [`black is ${range[0]}, white is ${range[1]}`] : [],
    ],
  };
}

interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part around the texels that differ. */
function cropOf([one, other]: readonly Uint8Array[], across: number, down: number, size: number): Crop {
  let left = across, right = 0, top = down, bottom = 0;
  for (let y = 0, at = 0; y < down; y++) {
    for (let x = 0; x < across; x++, at += size) {
      if (!differsAt(one, other, at, size)) continue;
      left = Math.min(left, x), right = Math.max(right, x), top = Math.min(top, y), bottom = y;
    }
  }
  const [x, width] = spanOf(left, right, across), [y, height] = spanOf(top, bottom, down);
  return { x, y, width, height };
}

function differsAt(one: Uint8Array, other: Uint8Array, at: number, size: number): boolean {
  for (let byte = at; byte < at + size; byte++) if (one[byte] !== other[byte]) return true;
  return false;
}

/** A span around what differs; from its beginning on if there is more than can be shown. */
function spanOf(first: number, last: number, all: number): [start: number, length: number] {
  const length = Math.min(all, MOST), spare = Math.max(0, length - (last - first + 1));
  return [Math.max(0, Math.min(first - (spare >> 1), all - length)), length];
}

function cropped(bytes: Uint8Array, across: number, { x, y, width, height }: Crop, size: number): Uint8Array {
  const rows = new Uint8Array(width * height * size);
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * across + x) * size;
    rows.set(bytes.subarray(start, start + width * size), row * width * size);
  }
  return rows;
}

/** The numbers that are black and white; undefined where the format says it. */
function rangeOf(format: Format, contents: readonly Uint8Array[]): readonly [number, number] | undefined {
  const { components, blockSize } = format, { name, numericFormat } = components[0];
  if (isCompressed(format) || (name !== "D" && /NORM|SRGB/.test(numericFormat))) return undefined;
  let least = Infinity, most = -Infinity;
  for (const bytes of contents) {
    const reads = components.map((each) => readerOf(each, bytes));
    for (let at = 0; at < bytes.length; at += blockSize) {
      for (const read of reads) {
        const value = read(at);
        if (!Number.isFinite(value)) continue;
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
  }
  if (least > most) return [0, 1];
  const isUsual = name !== "D" && numericFormat.endsWith("FLOAT") && least >= 0 && most <= 1;
  return isUsual ? [0, 1] : [least, most];
}

/** Alpha, padding and small steps have no colour, and would be missing in a picture of the difference. */
function markedData([one, other]: readonly Uint8Array[], size: number, data: Uint8Array): Uint8Array {
  const marked = data.slice();
  for (let at = 0, to = 3; at < one.length; at += size, to += 4) if (differsAt(one, other, at, size)) marked[to] = 254;
  return marked;
}

function isCompressed({ blockExtent }: Format): boolean {
  return blockExtent.some((length) => length > 1);
}

/** Reads a component of the texel at an offset; the usual ones without a detour. */
function readerOf(component: Component, bytes: Uint8Array): (at: number) => number {
  const { bits, firstBit, numericFormat } = component, byte = firstBit >> 3;
  if (bits === 8 && firstBit % 8 === 0 && /^(UNORM|SRGB|UINT)$/.test(numericFormat)) return (at) => bytes[at + byte];
  if (bits === 32 && numericFormat === "SFLOAT") {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return (at) => view.getFloat32(at + byte, true);
  }
  return (at) => numberAt(bytes, at, component);
}

/** The numbers of a component that are black and white, if the format says it. */
function limitsOf({ bits, numericFormat }: Component): readonly [number, number] {
  return numericFormat === "SNORM" ? [1 - 2 ** (bits - 1), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
}

function rgba(format: Format, bytes: Uint8Array, range: readonly [number, number] | undefined): Uint8Array {
  const { blockSize, components } = format, data = new Uint8Array(4 * bytes.length / blockSize).fill(255);
  const isGrey = components.length === 1, channels = isCompressed(format) ? [0, 1, 2].map(byteChannel) : components;
  for (const component of channels) {
    const channel = isGrey && channels.length === 1 ? 0 : "RGBA".indexOf(component.name);
    if (channel < 0 || channel > 2) continue; // alpha would hide what differs
    const read = readerOf(component, bytes), [least, most] = range ?? limitsOf(component);
    const scale = most > least ? 255 / (most - least) : 0;
    for (let at = 0, to = channel; at < bytes.length; at += blockSize, to += 4) {
      data[to] = Math.round(Math.max(0, Math.min(255, (read(at) - least) * scale)));
    }
  }
  if (channels.length === 1) { for (let at = 0; at < data.length; at += 4) data[at + 1] = data[at + 2] = data[at]; }
  if (channels.length === 2) { for (let at = 0; at < data.length; at += 4) data[at + 2] = 0; }
  return data;
}

function byteChannel(index: number): Component {
  return { name: "RGB"[index], bits: 8, numericFormat: "UNORM", firstBit: 8 * index };
}
