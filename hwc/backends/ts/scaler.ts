import type { Rect } from "../../types.ts";
import type { Source, Step } from "../plan/step.ts";
import { hasAlpha } from "../surface.ts";
import { directPixels, type LineReader, walk } from "./line.ts";

/** Fills `out` with the pixels of a row of the target. */
export type RowMaker = (y: number, out: Uint32Array<ArrayBuffer>) => void;

/** Pixels of a row of the picture, from a place in an array on. */
interface Line {
  j: number;
  readonly pixels: Uint32Array<ArrayBuffer>;
  at: number;
}

/** The places of the pixels in a row of the target. */
interface Taps {
  /** For each, which column of those mixed is the left one, times 128, plus the weight of the right one. */
  readonly places: Int32Array<ArrayBuffer>;
  /** Columns of the picture that are needed. */
  readonly from: number;
  readonly to: number;
}

const OPAQUE = 0xff000000;

/** Interpolates a rectangle of the target: two rows to one first, then along the row, with all bits kept until the end. */
export function scaledRows({ frame }: Step, source: Source, rect: Rect, read: LineReader): RowMaker {
  const { vertical, down } = source, taps = tapsOf(source, rect.left - frame.left, rect.right - rect.left);
  const load = lineLoader(source, taps, read), width = taps.to - taps.from;
  // The last column twice: the pixel right of it is itself.
  const redBlue = new Int32Array(width + 1), greenAlpha = new Int32Array(width + 1);
  const run = hasAlpha(source.surface.kind) ? along : alongOpaque;
  return (y, out) => {
    const place = vertical.start + vertical.step * (y - frame.top), j = place >> 16;
    const [above, below] = load(clamp(j, down), clamp(j + 1, down));
    mix(above, below, place >> 9 & 127, width, redBlue, greenAlpha);
    redBlue[width] = redBlue[width - 1];
    greenAlpha[width] = greenAlpha[width - 1];
    run(redBlue, greenAlpha, taps.places, out);
  };
}

function clamp(index: number, count: number): number {
  return index < 0 ? 0 : index < count ? index : count - 1;
}

/** Returns two rows of the picture. The last two rows are kept, and rows that need no reading are used in place. */
function lineLoader(
  source: Source,
  { from, to }: Taps,
  read: LineReader,
): (a: number, b: number) => readonly [Line, Line] {
  const direct = directPixels(source), pitch = source.surface.pitch >> 2;
  const line = (): Line => ({ j: -1, pixels: direct ?? new Uint32Array(to - from), at: 0 });
  let above = line(), below = line();
  const fill = (into: Line, j: number) => {
    if (into.j === j) return;
    into.j = j;
    if (direct) into.at = walk(source, pitch, 1, j)[0] + from;
    else read(j, from, to, into.pixels);
  };
  return (a, b) => {
    if (below.j === a) [above, below] = [below, above];
    fill(above, a);
    fill(below, b);
    return [above, below];
  };
}

function tapsOf({ horizontal, across }: Source, x: number, count: number): Taps {
  const places = new Int32Array(count), at = (n: number) => horizontal.start + horizontal.step * (x + n);
  const from = clamp(at(0) >> 16, across), to = clamp((at(count - 1) >> 16) + 1, across) + 1;
  for (let n = 0; n < count; n++) {
    const place = at(n), i = place >> 16;
    // Left of the first column both taps are on it: as if the weight of the right one were 0.
    places[n] = (clamp(i, across) - from) << 7 | (i < 0 ? 0 : place >> 9 & 127);
  }
  return { places, from, to };
}

/** Mixes two rows, two channels a word: sums of 15 bits each. Values below 0 on the way never reach the result. */
function mix(
  above: Line,
  below: Line,
  weight: number,
  count: number,
  redBlue: Int32Array,
  greenAlpha: Int32Array,
): void {
  const { pixels: upper, at: a } = above, { pixels: lower, at: b } = below;
  for (let n = 0; n < count; n++) {
    const p = upper[a + n], q = lower[b + n], rb = p & 0xff00ff, ga = p >>> 8 & 0xff00ff;
    redBlue[n] = (rb << 7) + Math.imul((q & 0xff00ff) - rb, weight);
    greenAlpha[n] = (ga << 7) + Math.imul((q >>> 8 & 0xff00ff) - ga, weight);
  }
}

function along(redBlue: Int32Array, greenAlpha: Int32Array, places: Int32Array, out: Uint32Array): void {
  for (let n = 0; n < places.length; n++) {
    const place = places[n], w = place & 127, left = place >> 7;
    const rb0 = redBlue[left], rb1 = redBlue[left + 1], ga0 = greenAlpha[left], ga1 = greenAlpha[left + 1];
    const r0 = rb0 & 0xffff, g0 = ga0 & 0xffff, b0 = rb0 >>> 16, a0 = ga0 >>> 16;
    const r = (r0 << 7) + Math.imul((rb1 & 0xffff) - r0, w), g = (g0 << 7) + Math.imul((ga1 & 0xffff) - g0, w);
    const b = (b0 << 7) + Math.imul((rb1 >>> 16) - b0, w), a = (a0 << 7) + Math.imul((ga1 >>> 16) - a0, w);
    out[n] = r >> 14 | g >> 6 & 0xff00 | b << 2 & 0xff0000 | a << 10 & 0xff000000;
  }
}

/** The same for pictures without alpha. */
function alongOpaque(redBlue: Int32Array, greenAlpha: Int32Array, places: Int32Array, out: Uint32Array): void {
  for (let n = 0; n < places.length; n++) {
    const place = places[n], w = place & 127, left = place >> 7;
    const rb0 = redBlue[left], rb1 = redBlue[left + 1], r0 = rb0 & 0xffff, b0 = rb0 >>> 16;
    const g0 = greenAlpha[left] & 0xffff, g = (g0 << 7) + Math.imul((greenAlpha[left + 1] & 0xffff) - g0, w);
    const r = (r0 << 7) + Math.imul((rb1 & 0xffff) - r0, w), b = (b0 << 7) + Math.imul((rb1 >>> 16) - b0, w);
    out[n] = OPAQUE | r >> 14 | g >> 6 & 0xff00 | b << 2 & 0xff0000;
  }
}
