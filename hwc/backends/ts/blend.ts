import { BLEND } from "../../types.ts";

/** Puts `count` pixels of a layer over those of a row of the target from `at` on. */
export type RowBlender = (
  row: Uint32Array<ArrayBuffer>,
  at: number,
  pixels: Uint32Array<ArrayBuffer>,
  count: number,
) => void;

const HALF = 0x800080, LANES = 0xff00ff;

/** The loop for a blend mode with a plane alpha. */
export function blender(blend: number, alpha8: number, isOpaque: boolean): RowBlender {
  if (isOpaque || blend === BLEND.NONE && alpha8 === 255) return replace;
  if (blend === BLEND.COVERAGE) return (row, at, pixels, count) => coverage(row, at, pixels, count, alpha8);
  if (blend === BLEND.NONE) return (row, at, pixels, count) => replaceDimmed(row, at, pixels, count, alpha8);
  return alpha8 === 255 ? over : (row, at, pixels, count) => overDimmed(row, at, pixels, count, alpha8);
}

const replace: RowBlender = (row, at, pixels, count) => {
  if (count === pixels.length) row.set(pixels, at);
  else row.set(pixels.subarray(0, count), at);
};

function replaceDimmed(row: Uint32Array, at: number, pixels: Uint32Array, count: number, alpha: number): void {
  for (let n = 0; n < count; n++) row[at + n] = multiply(pixels[n], alpha);
}

const over: RowBlender = (row, at, pixels, count) => {
  for (let n = 0; n < count; n++) {
    const pixel = pixels[n], rest = 255 - (pixel >>> 24);
    if (rest === 0) row[at + n] = pixel;
    else if (pixel !== 0) row[at + n] = add(pixel, multiply(row[at + n], rest));
  }
};

function overDimmed(row: Uint32Array, at: number, pixels: Uint32Array, count: number, alpha: number): void {
  for (let n = 0; n < count; n++) {
    const pixel = multiply(pixels[n], alpha);
    if (pixel !== 0) row[at + n] = add(pixel, multiply(row[at + n], 255 - (pixel >>> 24)));
  }
}

/** Straight alpha: colours times it, and it times itself. */
function coverage(row: Uint32Array, at: number, pixels: Uint32Array, count: number, alpha8: number): void {
  for (let n = 0; n < count; n++) {
    const pixel = pixels[n], alpha = byteTimes(pixel >>> 24, alpha8);
    const own = multiply((pixel & 0xffffff) | alpha << 24, alpha);
    row[at + n] = add(own, multiply(row[at + n], 255 - alpha));
  }
}

/** The rounded product of two bytes as fractions of 255. */
export function byteTimes(a: number, b: number): number {
  const t = a * b + 128;
  return (t + (t >> 8)) >> 8;
}

/** Each byte of a pixel times a byte, two at a time. */
export function multiply(pixel: number, by: number): number {
  let low = Math.imul(pixel & LANES, by) + HALF >>> 0;
  let high = Math.imul(pixel >>> 8 & LANES, by) + HALF >>> 0;
  low = low + (low >>> 8 & LANES) >>> 8 & LANES;
  high = high + (high >>> 8 & LANES) & 0xff00ff00;
  return (low | high) >>> 0;
}

/** Each byte added, 255 at most. */
function add(a: number, b: number): number {
  let low = (a & LANES) + (b & LANES), high = (a >>> 8 & LANES) + (b >>> 8 & LANES);
  low |= 0x1000100 - (low >>> 8 & LANES); // a byte that overflowed gets all its bits
  high |= 0x1000100 - (high >>> 8 & LANES);
  return (low & LANES | (high & LANES) << 8) >>> 0;
}
