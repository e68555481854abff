import { BLEND, type Rect } from "../../types.ts";
import type { Painter, Source, Step } from "../plan/step.ts";
import { bytesOf, type Surface } from "../surface.ts";
import { lineReader, swapRedBlue, walk } from "./line.ts";
import { type RowMaker, scaledRows } from "./scaler.ts";
import { type ColorTables, LINEAR_ONE, MATRIX_BITS } from "../colors/color_conversion.ts";

/** Puts `count` pixels of a layer over those of a row of the target from `at` on. */
type RowBlender = (
  row: Uint32Array<ArrayBuffer>,
  at: number,
  pixels: Uint32Array<ArrayBuffer>,
  count: number,
) => void;

const HALF = 0x800080, LANES = 0xff00ff;

/** The loop for a blend mode with a plane alpha. */
function blender(blend: number, alpha8: number, isOpaque: boolean): RowBlender {
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
function byteTimes(a: number, b: number): number {
  const t = a * b + 128;
  return (t + (t >> 8)) >> 8;
}

/** Each byte of a pixel times a byte, two at a time. */
function multiply(pixel: number, by: number): number {
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

const TARGETS: ReadonlySet<string> = new Set(["rgba8888", "rgbx8888", "bgra8888"]);
const OPAQUE = 0xff000000;

/** Draws rows of 32-bit pixels by the P-rule, with a loop of its own for every kind of row; no native library. */
export const tsPainter: Painter = {
  name: "ts",
  writes: ({ kind }, rule) =>
    rule !== "p" ? `it has no rule "${rule}"` : TARGETS.has(kind) || `it does not write ${kind}`,
  can: () => true,
  paint(target, { steps, background, backgroundColor }) {
    const to = { surface: target, pixels: new Uint32Array(bytesOf(target).buffer, 0, target.size >> 2) };
    const color = ordered(pack(backgroundColor), target);
    for (const rect of background) fill(to, rect, color);
    for (const step of steps) {
      for (const rect of step.rects) draw(to, step, rect);
    }
  },
  close() {},
  [Symbol.dispose]() {},
};

interface Target {
  readonly surface: Surface;
  readonly pixels: Uint32Array<ArrayBuffer>;
}

function pack([r, g, b, a]: readonly number[]): number {
  const [red, green, blue, alpha] = [r, g, b, a].map((value) => Math.round(255 * value));
  return (alpha << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** A pixel in the target's order; opaque in those without alpha. */
function ordered(pixel: number, { kind }: Surface): number {
  return kind === "bgra8888" ? swapRedBlue(pixel) : kind === "rgbx8888" ? (pixel | OPAQUE) >>> 0 : pixel;
}

function fill({ surface, pixels }: Target, { left, top, right, bottom }: Rect, color: number): void {
  const pitch = surface.pitch >> 2;
  for (let y = top; y < bottom; y++) pixels.fill(color, y * pitch + left, y * pitch + right);
}

function draw(to: Target, step: Step, rect: Rect): void {
  if (!step.source) return drawColor(to, step, rect);
  if (copies(to, step, step.source, rect)) return;
  drawRows(to, step, rect, new Uint32Array(rect.right - rect.left), rowsOf(step, step.source, rect));
}

function drawColor(to: Target, step: Step, rect: Rect): void {
  const row = new Uint32Array(rect.right - rect.left).fill(pack(step.color));
  finish(row, to, step);
  drawRows(to, step, rect, row);
}

/** From the layer's colours to the target's, in its order. */
function finish(row: Uint32Array<ArrayBuffer>, { surface }: Target, { conversion, blend }: Step): void {
  if (conversion) convertRow(row, row.length, conversion.tables, blend === BLEND.PREMULTIPLIED);
  if (surface.kind === "bgra8888") { for (let n = 0; n < row.length; n++) row[n] = swapRedBlue(row[n]); }
}

/** Copies rows that need no change. */
function copies({ surface: target, pixels }: Target, step: Step, source: Source, rect: Rect): boolean {
  const { surface, map, isFiltered } = source, { frame } = step;
  const isSame = surface.kind === target.kind && (step.blend === BLEND.NONE || step.isOpaque) && step.alpha8 === 255;
  if (!isSame || isFiltered || step.conversion || map.xi !== 1) return false;
  const from = new Uint32Array(bytesOf(surface).buffer, 0, surface.size >> 2);
  const pitch = target.pitch >> 2, count = rect.right - rect.left;
  for (let y = rect.top; y < rect.bottom; y++) {
    const at = walk(source, surface.pitch >> 2, 1, y - frame.top)[0] + rect.left - frame.left;
    pixels.set(from.subarray(at, at + count), y * pitch + rect.left);
  }
  return true;
}

function rowsOf(step: Step, source: Source, rect: Rect): RowMaker {
  const read = lineReader(source), { frame } = step;
  if (source.isFiltered) return scaledRows(step, source, rect, read);
  return (y, out) => read(y - frame.top, rect.left - frame.left, rect.right - frame.left, out);
}

/** Without a maker, the row is ready and the same everywhere. */
function drawRows(to: Target, step: Step, rect: Rect, row: Uint32Array<ArrayBuffer>, make?: RowMaker): void {
  const { surface, pixels } = to, pitch = surface.pitch >> 2;
  const blend = blender(step.blend, step.alpha8, step.isOpaque);
  for (let y = rect.top; y < rect.bottom; y++) {
    if (make) {
      make(y, row);
      finish(row, to, step);
    }
    blend(pixels, y * pitch + rect.left, row, row.length);
  }
}

const ROUND = 1 << MATRIX_BITS - 1;

/** Converts the colours of pixels in place. Premultiplied pixels are multiplied by alpha again afterwards. */
function convertRow(
  pixels: Uint32Array<ArrayBuffer>,
  count: number,
  { decode, matrix: m, encode }: ColorTables,
  isPremultiplied: boolean,
): void {
  for (let n = 0; n < count; n++) {
    const pixel = pixels[n], alpha = pixel >>> 24, isDimmed = isPremultiplied && alpha !== 255;
    if (isDimmed && alpha === 0) {
      pixels[n] = 0;
      continue;
    }
    let r = pixel & 255, g = pixel >>> 8 & 255, b = pixel >>> 16 & 255;
    if (isDimmed) r = straight(r, alpha), g = straight(g, alpha), b = straight(b, alpha);
    r = decode[r], g = decode[g], b = decode[b];
    let x = encode[limit(m[0] * r + m[1] * g + m[2] * b + m[3] + ROUND >> MATRIX_BITS)];
    let y = encode[limit(m[4] * r + m[5] * g + m[6] * b + m[7] + ROUND >> MATRIX_BITS)];
    let z = encode[limit(m[8] * r + m[9] * g + m[10] * b + m[11] + ROUND >> MATRIX_BITS)];
    if (isDimmed) x = byteTimes(x, alpha), y = byteTimes(y, alpha), z = byteTimes(z, alpha);
    pixels[n] = pixel & 0xff000000 | z << 16 | y << 8 | x;
  }
}

function straight(value: number, alpha: number): number {
  const whole = (value * 255 + (alpha >> 1)) / alpha | 0;
  return whole < 255 ? whole : 255;
}

function limit(linear: number): number {
  return linear < 0 ? 0 : linear > LINEAR_ONE ? LINEAR_ONE : linear;
}
