import type { Source } from "../plan/step.ts";
import { bytesOf } from "../surface.ts";
import { yuvToRgb } from "../colors/yuv_coefficients.ts";

/** Fills `out` with pixels `from` to `to` of row `j` of the shown picture, as 0xAABBGGRR. */
export type LineReader = (j: number, from: number, to: number, out: Uint32Array<ArrayBuffer>) => void;

const OPAQUE = 0xff000000;

/** The pixels of a layer, row by row, flipped and turned, as bytes. One loop for each way pixels are stored. */
export function lineReader(source: Source): LineReader {
  const { surface } = source, bytes = bytesOf(surface);
  switch (surface.kind) {
    case "rgba8888":
    case "rgbx8888":
    case "bgra8888":
    case "rgba1010102":
      return words(source, new Uint32Array(bytes.buffer, 0, surface.size >> 2));
    case "rgb565":
    case "rgba-fp16":
      return halfWords(source, new Uint16Array(bytes.buffer, 0, surface.size >> 1));
    case "yuv":
      return yuv(source, bytes);
    default:
      return single(source, bytes);
  }
}

/**
 * The buffer's own pixels, if the buffer has the row of the shown picture
 * unchanged, except for the alpha of pixels without alpha.
 */
export function directPixels({ surface, map }: Source): Uint32Array<ArrayBuffer> | undefined {
  if (map.xi !== 1 || surface.kind !== "rgba8888" && surface.kind !== "rgbx8888") return undefined;
  return new Uint32Array(bytesOf(surface).buffer, 0, surface.size >> 2);
}

/**
 * The begin of row `j` and the distance of its pixels, in units of which a row
 * of the buffer has `pitch` and a pixel `size`.
 */
export function walk({ map }: Source, pitch: number, size: number, j: number): [start: number, delta: number] {
  const { ox, oy, xi, xj, yi, yj } = map;
  return [(oy + j * yj) * pitch + (ox + j * xj) * size, yi * pitch + xi * size];
}

function words(source: Source, pixels: Uint32Array<ArrayBuffer>): LineReader {
  const { kind, pitch } = source.surface;
  const convert: LineConverter = kind === "bgra8888" ? copySwapped : kind === "rgba1010102" ? copyTen : copyWords;
  const or = kind === "rgbx8888" ? OPAQUE : 0;
  return (j, from, to, out) => {
    const [start, delta] = walk(source, pitch >> 2, 1, j);
    convert(pixels, start + from * delta, delta, to - from, out, or);
  };
}

type LineConverter = (
  pixels: Uint32Array<ArrayBuffer>,
  at: number,
  delta: number,
  count: number,
  out: Uint32Array<ArrayBuffer>,
  or: number,
) => void;

const copyWords: LineConverter = (pixels, at, delta, count, out, or) => {
  for (let n = 0; n < count; n++, at += delta) out[n] = pixels[at] | or;
};

const copySwapped: LineConverter = (pixels, at, delta, count, out) => {
  for (let n = 0; n < count; n++, at += delta) out[n] = swapRedBlue(pixels[at]);
};

const copyTen: LineConverter = (pixels, at, delta, count, out) => {
  const table = tenToByte();
  for (let n = 0; n < count; n++, at += delta) {
    const word = pixels[at], color = table[word >>> 20 & 1023] << 16 | table[word >>> 10 & 1023] << 8;
    out[n] = (word >>> 30) * 85 << 24 | color | table[word & 1023];
  }
};

/** RGBA as BGRA, and back. */
export function swapRedBlue(pixel: number): number {
  return pixel & 0xff00ff00 | (pixel & 0xff) << 16 | pixel >>> 16 & 0xff;
}

function halfWords(source: Source, values: Uint16Array<ArrayBuffer>): LineReader {
  const { kind, pitch } = source.surface, size = kind === "rgb565" ? 1 : 4;
  return (j, from, to, out) => {
    const [start, delta] = walk(source, pitch >> 1, size, j);
    const convert = kind === "rgb565" ? copy565 : copyHalf;
    convert(values, start + from * delta, delta, to - from, out);
  };
}

function copy565(values: Uint16Array, at: number, delta: number, count: number, out: Uint32Array): void {
  for (let n = 0; n < count; n++, at += delta) {
    const value = values[at], r = value >> 11, g = value >> 5 & 63, b = value & 31;
    out[n] = OPAQUE | (b << 3 | b >> 2) << 16 | (g << 2 | g >> 4) << 8 | r << 3 | r >> 2;
  }
}

function copyHalf(values: Uint16Array, at: number, delta: number, count: number, out: Uint32Array): void {
  const table = halfToByte();
  for (let n = 0; n < count; n++, at += delta) {
    out[n] = table[values[at + 3]] << 24 | table[values[at + 2]] << 16 | table[values[at + 1]] << 8 | table[values[at]];
  }
}

/** Three bytes a pixel, or one. */
function single(source: Source, bytes: Uint8Array<ArrayBuffer>): LineReader {
  const { kind, pitch } = source.surface;
  return (j, from, to, out) => {
    const [start, delta] = walk(source, pitch, kind === "rgb888" ? 3 : 1, j);
    for (let n = 0, at = start + from * delta; n < to - from; n++, at += delta) {
      const value = bytes[at];
      if (kind === "r8") out[n] = OPAQUE | value;
      else if (kind === "y8") out[n] = OPAQUE | value << 16 | value << 8 | value;
      else out[n] = OPAQUE | bytes[at + 2] << 16 | bytes[at + 1] << 8 | value;
    }
  };
}

/** Samples of 16 bits count whole for Y, and with their top byte for Cb and Cr. */
function yuv(source: Source, bytes: Uint8Array<ArrayBuffer>): LineReader {
  const { map: { ox, oy, xi, xj, yi, yj }, surface, yuv: coefficients } = source;
  const { ystride, ystep, cstride, cstep, shiftX, shiftY, wide, ...at } = surface.yuv!;
  const top = wide ? 1 : 0, cb = at.cb + top, cr = at.cr + top, delta = yi * ystride + xi * ystep;
  return (j, from, to, out) => {
    let x = ox + j * xj + from * xi, y = oy + j * yj + from * yi, luma = at.y + y * ystride + x * ystep;
    for (let n = 0; n < to - from; n++, x += xi, y += yi, luma += delta) {
      const chroma = (y >> shiftY) * cstride + (x >> shiftX) * cstep;
      const value = wide ? bytes[luma] | bytes[luma + 1] << 8 : bytes[luma] * 257;
      out[n] = OPAQUE | yuvToRgb(value, bytes[cb + chroma], bytes[cr + chroma], coefficients!);
    }
  };
}

let halves: Uint8Array<ArrayBuffer> | undefined, tens: Uint8Array<ArrayBuffer> | undefined;

/** The byte of every half-precision number: below 0 and NaN are 0, above 1 is 255. */
function halfToByte(): Uint8Array<ArrayBuffer> {
  return halves ??= makeHalves();
}

/** The byte of every number of ten bits. */
function tenToByte(): Uint8Array<ArrayBuffer> {
  return tens ??= Uint8Array.from({ length: 1024 }, (_, value) => Math.round(value * 255 / 1023));
}

function makeHalves(): Uint8Array<ArrayBuffer> {
  const values = new Float16Array(Uint16Array.from({ length: 65536 }, (_, bits) => bits).buffer);
  return Uint8Array.from(values, (value) => value > 0 ? Math.round(255 * Math.min(1, value)) : 0);
}
