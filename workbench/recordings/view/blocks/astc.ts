/**
 * ASTC of low dynamic range: a block says how many weights it has, of which range; its colours have what is left.
 *
 * ```text
 * bit 0                                                                          bit 127
 * mode  parts  kinds of colours  colours →     … more kinds, channel  ← weights, backwards
 * ```
 *
 * @module
 */
import { colourPair, VALUES } from "./astc_colours.ts";
import {
  bitsOf,
  COLOUR_RANGES,
  colourOf,
  type NumberRange,
  numbersIn,
  WEIGHT_RANGES,
  weightOf,
} from "./astc_numbers.ts";
import type { DecodeBlock } from "./block.ts";

const BITS = 128, MOST_WEIGHTS = 64, LEAST_WEIGHT_BITS = 24, MOST_WEIGHT_BITS = 96, MOST_VALUES = 18;
/** The colour of a block that means nothing. */
const ERROR = [255, 0, 255, 255];
/** Texels of a block below which partitions are made larger. */
const FEW = 31;

/** The grid of weights of a block. */
interface Grid {
  readonly width: number;
  readonly height: number;
  readonly range: NumberRange;
  /** Whether one channel has weights of its own. */
  readonly isDual: boolean;
}

/** Decodes blocks of some width and height. Colours of sRGB are mixed a little differently. */
export const decodeAstc = (width: number, height: number, isSrgb: boolean): DecodeBlock => {
  return (bytes, at, out) => {
    if (!decode(bytes.subarray(at, at + 16), [width, height], isSrgb, out)) {
      for (let texel = 0; texel < width * height; texel++) out.set(ERROR, 4 * texel);
    }
  };
};

/** Returns whether the block means something. */
function decode(block: Uint8Array, size: readonly [number, number], isSrgb: boolean, out: Float32Array): boolean {
  const mode = bitsAt(block, 0, 11);
  if ((mode & 0x1ff) === 0x1fc) return putOne(block, size, out);
  const grid = gridOf(mode), count = grid && grid.width * grid.height * (grid.isDual ? 2 : 1);
  if (!grid || !count || grid.width > size[0] || grid.height > size[1] || count > MOST_WEIGHTS) return false;
  const weightBits = bitsOf(grid.range, count), parts = bitsAt(block, 11, 2) + 1;
  if (weightBits < LEAST_WEIGHT_BITS || weightBits > MOST_WEIGHT_BITS || grid.isDual && parts === 4) return false;
  const { kinds, more } = kindsOf(block, parts, BITS - weightBits), start = parts === 1 ? 17 : 29;
  const end = BITS - weightBits - more - (grid.isDual ? 2 : 0);
  const values = valuesOf(block, start, end, kinds);
  if (!values) return false;
  const pairs = kinds.map((kind) => colourPair(kind, values.splice(0, VALUES(kind))));
  const own = grid.isDual ? bitsAt(block, end, 2) : -1, seed = parts === 1 ? 0 : bitsAt(block, 13, 10);
  const weights = weightsOf(block, grid, count);
  for (let y = 0, texel = 0; y < size[1]; y++) {
    for (let x = 0; x < size[0]; x++, texel++) {
      const pair = pairs[parts === 1 ? 0 : partOf(seed, x, y, parts, size[0] * size[1] < FEW)];
      if (!pair) {
        out.set(ERROR, 4 * texel);
        continue;
      }
      const mixed = mixer(weights, grid, size, x, y), common = mixed(0), other = grid.isDual ? mixed(1) : common;
      for (let channel = 0; channel < 4; channel++) {
        const weight = channel === own ? other : common;
        out[4 * texel + channel] = shade(pair[0][channel], pair[1][channel], weight, isSrgb);
      }
    }
  }
  return true;
}

function shade(low: number, high: number, weight: number, isSrgb: boolean): number {
  const [from, to] = [low, high].map((each) => each << 8 | (isSrgb ? 0x80 : each));
  return from * (64 - weight) + to * weight + 32 >> 6 + 8;
}

function bitsAt(block: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let bit = 0; bit < count; bit++) value |= (block[at + bit >> 3] >> (at + bit & 7) & 1) << bit;
  return value;
}

/** A block of one colour, whose place in the picture may be said. */
function putOne(block: Uint8Array, [width, height]: readonly [number, number], out: Float32Array): boolean {
  const [left, right, top, bottom] = [12, 25, 38, 51].map((at) => bitsAt(block, at, 13)), none = 0x1fff;
  const isEverywhere = [left, right, top, bottom].every((each) => each === none);
  if (bitsAt(block, 9, 1) === 1 || bitsAt(block, 10, 2) !== 3) return false;
  if (!isEverywhere && (left >= right || top >= bottom)) return false;
  const colour = [64, 80, 96, 112].map((at) => bitsAt(block, at + 8, 8));
  for (let texel = 0; texel < width * height; texel++) out.set(colour, 4 * texel);
  return true;
}

/** The grid of weights by the eleven bits of a mode; `undefined` for a mode that means nothing. */
function gridOf(mode: number): Grid | undefined {
  const low = mode & 3, number = mode >> 4 & 1 | (low > 0 ? low : mode >> 2 & 3) << 1;
  const isWide = low === 0 && (mode >> 7 & 3) === 2, size = low > 0 ? sizeOf(mode) : wideSizeOf(mode);
  if (number < 2 || !size) return undefined;
  const isHigh = !isWide && (mode >> 9 & 1) === 1, isDual = !isWide && (mode >> 10 & 1) === 1;
  return { width: size[0], height: size[1], range: WEIGHT_RANGES[number - 2 + (isHigh ? 6 : 0)], isDual };
}

function sizeOf(mode: number): readonly [number, number] {
  const a = mode >> 5 & 3, b = mode >> 7 & 3;
  const all = [[b + 4, a + 2], [b + 8, a + 2], [a + 2, b + 8], b & 2 ? [(b & 1) + 2, a + 2] : [a + 2, (b & 1) + 6]];
  return all[mode >> 2 & 3] as [number, number];
}

function wideSizeOf(mode: number): readonly [number, number] | undefined {
  const a = mode >> 5 & 3, b = mode >> 9 & 3;
  const all = [[12, a + 2], [a + 2, 12], [a + 6, b + 6], [[6, 10], [10, 6]][a]];
  return all[mode >> 7 & 3] as [number, number] | undefined;
}

/** The kind of the colours of each part, and how many bits of that stand below the weights, which end at `end`. */
function kindsOf(block: Uint8Array, parts: number, end: number): { kinds: number[]; more: number } {
  if (parts === 1) return { kinds: [bitsAt(block, 13, 4)], more: 0 };
  const base = bitsAt(block, 23, 2);
  if (base === 0) return { kinds: Array(parts).fill(bitsAt(block, 25, 4)), more: 0 };
  const more = 3 * parts - 4, all = bitsAt(block, 23, 6) | bitsAt(block, end - more, more) << 6;
  const kinds = Array.from(
    { length: parts },
    (_, part) => (base - 1 + (all >> 2 + part & 1)) << 2 | all >> 2 + parts + 2 * part & 3,
  );
  return { kinds, more };
}

/** The numbers of all colours: of the largest range for which there is room. */
function valuesOf(block: Uint8Array, start: number, end: number, kinds: readonly number[]): number[] | undefined {
  const count = kinds.reduce((sum, kind) => sum + VALUES(kind), 0), room = end - start;
  if (count > MOST_VALUES || room < Math.ceil(13 * count / 5)) return undefined;
  const range = COLOUR_RANGES.find((each) => bitsOf(each, count) <= room)!, last = start + bitsOf(range, count);
  let at = start;
  const take = (bits: number) => {
    const value = bitsAt(block, at, Math.max(0, Math.min(bits, last - at)));
    at += bits;
    return value;
  };
  return numbersIn(range, count, take).map(({ low, high }) => colourOf(range, low, high));
}

/** The weights, which stand from the last bit of the block backwards. */
function weightsOf(block: Uint8Array, { range }: Grid, count: number): number[] {
  const last = bitsOf(range, count);
  let at = 0;
  const take = (bits: number) => {
    let value = 0;
    for (let bit = 0; bit < bits && at + bit < last; bit++) value |= bitsAt(block, BITS - 1 - at - bit, 1) << bit;
    at += bits;
    return value;
  };
  return numbersIn(range, count, take).map(({ low, high }) => weightOf(range, low, high));
}

/** Returns the weight of a texel between those of the grid, by the number of the weights. */
function mixer(weights: readonly number[], grid: Grid, [wide, tall]: readonly [number, number], x: number, y: number) {
  const place = (at: number, texels: number, count: number) =>
    Math.floor((1024 + (texels >> 1)) / (texels - 1)) * at * (count - 1) + 32 >> 6;
  const across = place(x, wide, grid.width), down = place(y, tall, grid.height), step = grid.isDual ? 2 : 1;
  const first = (across >> 4) + (down >> 4) * grid.width, right = across & 15, below = down & 15;
  const both = right * below + 8 >> 4;
  return (plane: number): number => {
    const at = (index: number) => weights[step * index + plane] ?? 0;
    return at(first) * (16 - right - below + both) + at(first + 1) * (right - both) +
        at(first + grid.width) * (below - both) + at(first + grid.width + 1) * both + 8 >> 4;
  };
}

/** Returns the part of a texel: patterns come from a number by arithmetic alone. */
function partOf(seed: number, column: number, row: number, parts: number, isSmall: boolean): number {
  const x = isSmall ? column << 1 : column, y = isSmall ? row << 1 : row;
  const number = seed + (parts - 1) * 1024, mixed = mixedUp(number);
  const seeds = [0, 4, 8, 12, 16, 20, 24, 28].map((shift) => (mixed >>> shift & 15) ** 2);
  const odd = number & 2 ? 4 : 5, even = parts === 3 ? 6 : 5, shifts = number & 1 ? [odd, even] : [even, odd];
  const [a, b, c, d] = [14, 10, 6, 2].map((shift, at) =>
    (seeds[2 * at] >> shifts[0]) * x + (seeds[2 * at + 1] >> shifts[1]) * y + (mixed >>> shift) & 63
  );
  const sums = [a, b, parts < 3 ? 0 : c, parts < 4 ? 0 : d];
  return sums.indexOf(Math.max(...sums));
}

function mixedUp(seed: number): number {
  let value = seed;
  value ^= value >>> 15;
  value = value - (value << 17) >>> 0;
  value = value + (value << 7) >>> 0;
  value = value + (value << 4) >>> 0;
  value = (value ^ value >>> 5) >>> 0;
  value = value + (value << 16) >>> 0;
  value = (value ^ value >>> 7) >>> 0;
  value = (value ^ value >>> 3) >>> 0;
  value = (value ^ value << 6) >>> 0;
  return (value ^ value >>> 17) >>> 0;
}
