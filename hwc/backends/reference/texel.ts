import { type YuvCoefficients, yuvToRgb } from "../colors/yuv_coefficients.ts";
import type { Step } from "../plan/step.ts";
import type { PixelKind, Surface, YuvPlanes } from "../surface.ts";

/** Red, green, blue, alpha; bytes or 0 to 1, as who fills it says. */
export type Pixel = Float64Array<ArrayBuffer>;

/** A surface and its bytes. */
export interface Readable {
  readonly surface: Surface;
  readonly view: DataView;
  readonly yuv?: YuvCoefficients;
}

/** The largest values of a kind's channels; the other kinds have bytes or fractions. */
const MAXIMA: Partial<Record<PixelKind, readonly [number, number, number, number]>> = {
  rgb565: [31, 63, 31, 1],
  rgba1010102: [1023, 1023, 1023, 3],
  "rgba-fp16": [1, 1, 1, 1],
};
const BYTES = [255, 255, 255, 255] as const;

/** The channels as they are stored; opaque where there is no alpha. Not for YUV. */
function stored({ surface, view }: Readable, x: number, y: number, out: Pixel): void {
  const row = y * surface.pitch;
  switch (surface.kind) {
    case "rgba8888":
    case "rgbx8888":
      for (let c = 0; c < 4; c++) out[c] = view.getUint8(row + 4 * x + c);
      if (surface.kind === "rgbx8888") out[3] = 255;
      return;
    case "bgra8888":
      for (let c = 0; c < 4; c++) out[c] = view.getUint8(row + 4 * x + [2, 1, 0, 3][c]);
      return;
    case "rgb888":
      for (let c = 0; c < 3; c++) out[c] = view.getUint8(row + 3 * x + c);
      out[3] = 255;
      return;
    case "rgb565":
      return unpack(view.getUint16(row + 2 * x, true), [11, 5, 0], [31, 63, 31], 1, out);
    case "rgba1010102": {
      const word = view.getUint32(row + 4 * x, true);
      return unpack(word, [0, 10, 20], [1023, 1023, 1023], word >>> 30, out);
    }
    case "rgba-fp16":
      for (let c = 0; c < 4; c++) out[c] = finite(view.getFloat16(row + 8 * x + 2 * c, true));
      return;
    case "r8":
      out.set([view.getUint8(row + x), 0, 0, 255]);
      return;
    case "y8":
      out.fill(view.getUint8(row + x)), out[3] = 255;
  }
}

function unpack(word: number, shifts: readonly number[], masks: readonly number[], alpha: number, out: Pixel): void {
  for (let c = 0; c < 3; c++) out[c] = word >>> shifts[c] & masks[c];
  out[3] = alpha;
}

/** NaN is no colour. */
function finite(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

/** A pixel as bytes, as the P-rule has them: 5 and 6 bits are repeated, more are rounded. */
export function texel8(from: Readable, x: number, y: number, out: Pixel): void {
  const { surface: { kind, yuv } } = from;
  if (yuv) return yuv8(from, yuv, x, y, out);
  stored(from, x, y, out);
  const maxima = MAXIMA[kind];
  if (!maxima) return;
  for (let c = 0; c < 4; c++) {
    if (kind === "rgb565" && c < 3) out[c] = c === 1 ? out[c] << 2 | out[c] >> 4 : out[c] << 3 | out[c] >> 2;
    else out[c] = Math.round(255 * Math.min(1, Math.max(0, out[c] / maxima[c])));
  }
}

/** A pixel as 0 to 1, exactly; FP16 may be outside. */
export function texelExact(from: Readable, x: number, y: number, out: Pixel): void {
  const { surface: { kind, yuv } } = from;
  if (yuv) return yuvExact(from, yuv, x, y, out);
  stored(from, x, y, out);
  const maxima = MAXIMA[kind] ?? BYTES;
  for (let c = 0; c < 4; c++) out[c] /= maxima[c];
}

/** The samples of a pixel; chroma is that of the block it is in. */
function samples({ view }: Readable, at: YuvPlanes, x: number, y: number): [number, number, number] {
  const luma = at.y + y * at.ystride + x * at.ystep;
  const chroma = (y >> at.shiftY) * at.cstride + (x >> at.shiftX) * at.cstep;
  const read = (offset: number) => at.wide ? view.getUint16(offset, true) : view.getUint8(offset);
  return [read(luma), read(at.cb + chroma), read(at.cr + chroma)];
}

function yuv8(from: Readable, at: YuvPlanes, x: number, y: number, out: Pixel): void {
  const [luma, cb, cr] = samples(from, at, x, y);
  const rgb = at.wide ? yuvToRgb(luma, cb >> 8, cr >> 8, from.yuv!) : yuvToRgb(luma * 257, cb, cr, from.yuv!);
  out.set([rgb & 255, rgb >> 8 & 255, rgb >> 16, 255]);
}

/** Red's and blue's share of Y. */
const SHARES: Readonly<Record<string, readonly [number, number]>> = {
  BT601: [0.299, 0.114],
  BT709: [0.2126, 0.0722],
  BT2020: [0.2627, 0.0593],
};

/** By the definition: the inverse of Y = Kr·R + Kg·G + Kb·B. */
function yuvExact(from: Readable, at: YuvPlanes, x: number, y: number, out: Pixel): void {
  const { name, yb } = from.yuv!, [kr, kb] = SHARES[name.split(" ")[0]], isLimited = yb < 0;
  const unit = at.wide ? 256 : 1, most = at.wide ? 65472 : 255; // 1023 in the top ten bits
  const [luma, cb, cr] = samples(from, at, x, y);
  const y1 = isLimited ? (luma / unit - 16) / 219 : luma / most;
  const half = 128 * unit, range = isLimited ? 224 * unit : most;
  const u = (cb - half) / range, v = (cr - half) / range, kg = 1 - kr - kb;
  const r = y1 + 2 * (1 - kr) * v, b = y1 + 2 * (1 - kb) * u;
  const g = y1 - (2 * kr * (1 - kr) * v + 2 * kb * (1 - kb) * u) / kg;
  out.set([r, g, b].map((value) => Math.min(1, Math.max(0, value))));
  out[3] = 1;
}

/** Stores 0 to 1, rounded to the target's precision; FP16 keeps values outside of this range. */
export function storeExact(to: Readable, x: number, y: number, pixel: Pixel): void {
  if (to.surface.kind === "rgba-fp16") return storeHalf(to, x, y, pixel);
  store(to, x, y, (c, most) => Math.round(most * Math.min(1, Math.max(0, pixel[c]))));
}

/** Stores bytes. 565 gets their top bits, wider formats their share of the maximum. */
export function store8(to: Readable, x: number, y: number, pixel: Pixel): void {
  if (to.surface.kind === "rgba-fp16") return storeHalf(to, x, y, pixel.map((value) => value / 255));
  store(to, x, y, (c, most) => {
    if (most === 255) return pixel[c];
    return most === 31 || most === 63 ? pixel[c] * (most + 1) >> 8 : Math.round(pixel[c] * most / 255);
  });
}

function storeHalf({ surface, view }: Readable, x: number, y: number, pixel: Pixel): void {
  for (let c = 0; c < 4; c++) view.setFloat16(y * surface.pitch + 8 * x + 2 * c, pixel[c], true);
}

/** `channel` gives a channel as an integer of at most `most`. */
function store({ surface, view }: Readable, x: number, y: number, channel: (c: number, most: number) => number): void {
  const { kind, pitch } = surface, row = y * pitch, r = (most: number) => channel(0, most);
  const g = (most: number) => channel(1, most), b = (most: number) => channel(2, most);
  const bytes = (offset: number, ...values: number[]) => values.forEach((v, i) => view.setUint8(row + offset + i, v));
  switch (kind) {
    case "rgba8888":
      return bytes(4 * x, r(255), g(255), b(255), channel(3, 255));
    case "rgbx8888":
      return bytes(4 * x, r(255), g(255), b(255), 255);
    case "bgra8888":
      return bytes(4 * x, b(255), g(255), r(255), channel(3, 255));
    case "rgb888":
      return bytes(3 * x, r(255), g(255), b(255));
    case "rgb565":
      return view.setUint16(row + 2 * x, r(31) << 11 | g(63) << 5 | b(31), true);
    case "rgba1010102":
      return view.setUint32(row + 4 * x, (channel(3, 3) << 30 | b(1023) << 20 | g(1023) << 10 | r(1023)) >>> 0, true);
    case "r8":
      return bytes(x, r(255));
    case "y8":
      return bytes(x, channel(1, 255));
  }
}

/** One way to compute pixels. The meaning of a state's numbers is private to each. */
export interface Arithmetic {
  /** Reads the state of a pixel from the target. */
  load(from: Readable, x: number, y: number, state: Pixel): void;
  /** The state of a pixel of the background's colour, given 0 to 1. */
  fill(color: readonly number[], state: Pixel): void;
  /** A layer's pixel at a place in its frame. */
  sample(step: Step, from: Readable, x: number, y: number, out: Pixel): void;
  /** The pixel of a layer without a buffer. */
  solid(step: Step, out: Pixel): void;
  /** Blends a layer's pixel over the state; may change the pixel. */
  blend(step: Step, pixel: Pixel, state: Pixel): void;
  /** Writes a state down. */
  store(to: Readable, x: number, y: number, state: Pixel): void;
}
