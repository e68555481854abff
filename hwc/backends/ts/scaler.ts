import type { Rect } from "../../types.ts";
import type { Source, Step } from "../step.ts";
import type { LineReader } from "./line.ts";

/** Fills `out` with the pixels of a row of the target. */
export type RowMaker = (y: number, out: Uint32Array<ArrayBuffer>) => void;

/** A row of the picture with two channels a word, for sums of 16 bits: red and blue, green and alpha. */
interface Line {
  j: number;
  readonly redBlue: Uint32Array<ArrayBuffer>;
  readonly greenAlpha: Uint32Array<ArrayBuffer>;
}

/** Where the pixels of a row come from: the two taps in the lines, and the weight of the right one. */
interface Taps {
  readonly left: Int32Array<ArrayBuffer>;
  readonly right: Int32Array<ArrayBuffer>;
  readonly weight: Int32Array<ArrayBuffer>;
  readonly from: number;
  readonly to: number;
}

/** Interpolates a rectangle of the target: rows first, then along the row, with all bits kept until the end. */
export function scaledRows({ frame }: Step, source: Source, rect: Rect, read: LineReader): RowMaker {
  const { vertical, down } = source, taps = tapsOf(source, rect.left - frame.left, rect.right - rect.left);
  const width = taps.to - taps.from, pixels = new Uint32Array(width);
  let above = line(width), below = line(width);
  const redBlue = new Uint32Array(width), greenAlpha = new Uint32Array(width);
  const load = (into: Line, j: number) => {
    if (into.j === j) return;
    read(j, taps.from, taps.to, pixels);
    split(pixels, into);
    into.j = j;
  };
  return (y, out) => {
    const place = vertical.start + vertical.step * (y - frame.top), j = place >> 16, weight = place >> 9 & 127;
    const first = clamp(j, down), second = clamp(j + 1, down);
    if (below.j === first) [above, below] = [below, above];
    load(above, first);
    load(below, second);
    mix(above.redBlue, below.redBlue, weight, redBlue);
    mix(above.greenAlpha, below.greenAlpha, weight, greenAlpha);
    along(redBlue, greenAlpha, taps, out);
  };
}

function clamp(index: number, count: number): number {
  return index < 0 ? 0 : index < count ? index : count - 1;
}

function line(width: number): Line {
  return { j: -1, redBlue: new Uint32Array(width), greenAlpha: new Uint32Array(width) };
}

function tapsOf({ horizontal, across }: Source, x: number, count: number): Taps {
  const left = new Int32Array(count), right = new Int32Array(count), weight = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const place = horizontal.start + horizontal.step * (x + n), i = place >> 16;
    left[n] = clamp(i, across);
    right[n] = clamp(i + 1, across);
    weight[n] = place >> 9 & 127;
  }
  const from = left[0], to = right[count - 1] + 1;
  for (let n = 0; n < count; n++) left[n] -= from, right[n] -= from;
  return { left, right, weight, from, to };
}

function split(pixels: Uint32Array, { redBlue, greenAlpha }: Line): void {
  for (let n = 0; n < pixels.length; n++) {
    const pixel = pixels[n];
    redBlue[n] = pixel & 0xff00ff;
    greenAlpha[n] = pixel >>> 8 & 0xff00ff;
  }
}

function mix(above: Uint32Array, below: Uint32Array, weight: number, out: Uint32Array): void {
  const rest = 128 - weight;
  for (let n = 0; n < out.length; n++) out[n] = Math.imul(above[n], rest) + Math.imul(below[n], weight);
}

function along(redBlue: Uint32Array, greenAlpha: Uint32Array, taps: Taps, out: Uint32Array): void {
  const { left, right, weight } = taps;
  for (let n = 0; n < left.length; n++) {
    const w = weight[n], rest = 128 - w, l = left[n], r = right[n];
    const rb0 = redBlue[l], rb1 = redBlue[r], ga0 = greenAlpha[l], ga1 = greenAlpha[r];
    out[n] = ((rb0 & 0xffff) * rest + (rb1 & 0xffff) * w) >>> 14 |
      ((ga0 & 0xffff) * rest + (ga1 & 0xffff) * w) >>> 14 << 8 |
      ((rb0 >>> 16) * rest + (rb1 >>> 16) * w) >>> 14 << 16 |
      ((ga0 >>> 16) * rest + (ga1 >>> 16) * w) >>> 14 << 24;
  }
}
