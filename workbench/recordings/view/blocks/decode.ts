import { decodeAstc } from "./astc.ts";
import { decodeBc1, decodeBc2, decodeBc3, decodeBc4 } from "./bc.ts";
import type { DecodeBlock } from "./block.ts";
import { decodeBc6h, decodeBc7 } from "./bptc.ts";
import { decodeEac, decodeEtc2, decodeEtc2Alpha } from "./etc.ts";
import { formatOf } from "../../../../loader/texels/format.ts";
import {
  VK_FORMAT_ASTC_12x12_SRGB_BLOCK,
  VK_FORMAT_ASTC_4x4_UNORM_BLOCK,
  VK_FORMAT_BC1_RGB_UNORM_BLOCK,
} from "../../../../loader/gen/enums_core_gen.js";

/** A way to decode a format. */
export interface BlockFormat {
  readonly decode: DecodeBlock;
  /** The channels that mean something, from red on. */
  readonly channels: 1 | 2 | 3 | 4;
  /** The numbers: whole ones from 0 to 255, shares from 0 or -1 to 1, or floats. */
  readonly numbers: "bytes" | "shares" | "signed shares" | "floats";
}

const bytes = (decode: DecodeBlock, channels: 3 | 4 = 4): BlockFormat => ({ decode, channels, numbers: "bytes" });
const shares = (decode: (count: 1 | 2, isSigned: boolean) => DecodeBlock, channels: 1 | 2): BlockFormat[] => [
  { decode: decode(channels, false), channels, numbers: "shares" },
  { decode: decode(channels, true), channels, numbers: "signed shares" },
];
const halves = (isSigned: boolean): BlockFormat => ({ decode: decodeBc6h(isSigned), channels: 3, numbers: "floats" });
const twice = <T>(value: T): [T, T] => [value, value];

/** The formats from VK_FORMAT_BC1_RGB_UNORM_BLOCK to VK_FORMAT_EAC_R11G11_SNORM_BLOCK. Those of sRGB store the same. */
const FIRST = VK_FORMAT_BC1_RGB_UNORM_BLOCK,
  BLOCKS: readonly BlockFormat[] = [
    ...twice(bytes(decodeBc1(false), 3)),
    ...twice(bytes(decodeBc1(true))),
    ...twice(bytes(decodeBc2)),
    ...twice(bytes(decodeBc3)),
    ...shares(decodeBc4, 1),
    ...shares(decodeBc4, 2),
    halves(false),
    halves(true),
    ...twice(bytes(decodeBc7)),
    ...twice(bytes(decodeEtc2(false), 3)),
    ...twice(bytes(decodeEtc2(true))),
    ...twice(bytes(decodeEtc2Alpha)),
    ...shares(decodeEac, 1),
    ...shares(decodeEac, 2),
  ];
/** The formats of ASTC with low dynamic range and two dimensions. */
const ASTC_FIRST = VK_FORMAT_ASTC_4x4_UNORM_BLOCK, ASTC_LAST = VK_FORMAT_ASTC_12x12_SRGB_BLOCK;

/** Returns how a VkFormat is decoded; `undefined` if it is not: ASTC of high range or three dimensions, PVRTC. */
export function blockFormat(format: number): BlockFormat | undefined {
  if (format < ASTC_FIRST || format > ASTC_LAST) return BLOCKS[format - FIRST];
  const { blockExtent: [width, height] } = formatOf(format);
  return bytes(decodeAstc(width, height, format % 2 === 0));
}

/** A picture of blocks. */
export interface Blocks {
  readonly format: number;
  /** Texels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** Returns every so many texels of a picture: the wanted channels of each, row by row, as bytes or floats. */
export function decodedTexels(
  { format, width, height, bytes }: Blocks,
  { decode, channels, numbers }: BlockFormat,
  step: number,
): Uint8Array<ArrayBuffer> {
  const { blockSize, blockExtent: [wide, tall] } = formatOf(format), across = Math.ceil(width / wide);
  const columns = Math.ceil(width / step), rows = Math.ceil(height / step), block = new Float32Array(4 * wide * tall);
  const found = numbers === "bytes"
    ? new Uint8Array(channels * columns * rows)
    : new Float32Array(channels * columns * rows);
  for (let top = 0; top < height; top += tall) {
    const firstRow = Math.ceil(top / step), lastRow = Math.min(rows - 1, Math.floor((top + tall - 1) / step));
    if (firstRow > lastRow) continue;
    for (let left = 0; left < width; left += wide) {
      const first = Math.ceil(left / step), last = Math.min(columns - 1, Math.floor((left + wide - 1) / step));
      if (first > last) continue;
      decode(bytes, (top / tall * across + left / wide) * blockSize, block);
      for (let row = firstRow; row <= lastRow; row++) {
        for (let column = first; column <= last; column++) {
          const from = 4 * ((row * step - top) * wide + column * step - left), to = channels * (row * columns + column);
          for (let channel = 0; channel < channels; channel++) found[to + channel] = block[from + channel];
        }
      }
    }
  }
  return new Uint8Array(found.buffer);
}
