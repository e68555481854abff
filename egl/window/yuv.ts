import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { FORMAT } from "../../wsi/android_values.ts";

/** The meaning of YCbCr samples. */
export interface YuvColor {
  /** The conversion matrix: BT.601, BT.709 or BT.2020. */
  readonly matrix: 601 | 709 | 2020;
  /** Whether samples use their full range; otherwise 16 to 235, and 16 to 240 for chroma. */
  readonly full: boolean;
}

/** The shares of red and blue in Y. */
const WEIGHTS = { 601: [0.299, 0.114], 709: [0.2126, 0.0722], 2020: [0.2627, 0.0593] } as const;
/** The bits of a ten-bit sample's word that mean nothing. */
const LOW_BITS = 6;

/** Whether a buffer contains YCbCr samples, by its format. */
export function isYuv({ pixelFormat: { arrangement, hal } }: GraphicBuffer): boolean {
  return hal === FORMAT.YCBCR_422_I || /^(yv12|i4|nv|p010)/.test(arrangement);
}

/**
 * Converts a YCbCr buffer to RGBA with four bytes in each pixel, opaque, without gaps. The values are exact and rounded
 * to nearest. All pixels that share a chroma sample get the same one.
 */
export function yuvToRgba(buffer: GraphicBuffer, color: YuvColor): Uint8Array<ArrayBuffer> {
  try {
    return buffer.format === FORMAT.YCBCR_422_I ? ofPairs(buffer, color) : ofPlanes(buffer, color);
  } finally {
    buffer.unlock();
  }
}

function ofPlanes(buffer: GraphicBuffer, color: YuvColor): Uint8Array<ArrayBuffer> {
  const { yBytes, cbBytes, crBytes, ystride, cstride, chromaStep } = buffer.lockYCbCr(USAGE.CPU_READ_OFTEN);
  const { arrangement } = buffer.pixelFormat, wide = buffer.format === FORMAT.YCBCR_P010;
  const across = arrangement === "i444" ? 1 : 2, down = /16|422|444/.test(arrangement) ? 1 : 2;
  const sample = wide ? tenBits : (bytes: Uint8Array, at: number) => bytes[at];
  const step = wide ? 2 : 1, convert = converter(color, wide ? 10 : 8);
  return paint(buffer, (x, y, to, at) => {
    const chroma = Math.floor(y / down) * cstride + Math.floor(x / across) * chromaStep;
    convert(sample(yBytes, y * ystride + step * x), sample(cbBytes, chroma), sample(crBytes, chroma), to, at);
  });
}

/** Converts pairs of pixels: Y, Cb, Y, Cr. */
function ofPairs(buffer: GraphicBuffer, color: YuvColor): Uint8Array<ArrayBuffer> {
  const bytes = buffer.lock(USAGE.CPU_READ_OFTEN), convert = converter(color, 8);
  return paint(buffer, (x, y, to, at) => {
    const pair = y * buffer.rowPitch + 4 * (x >> 1);
    convert(bytes[pair + 2 * (x & 1)], bytes[pair + 1], bytes[pair + 3], to, at);
  });
}

type Paint = (x: number, y: number, to: Uint8ClampedArray, at: number) => void;

function paint({ width, height }: GraphicBuffer, put: Paint): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) put(x, y, pixels, at);
  }
  return new Uint8Array(pixels.buffer);
}

function tenBits(bytes: Uint8Array, at: number): number {
  return (bytes[at] | bytes[at + 1] << 8) >> LOW_BITS;
}

function converter({ matrix, full }: YuvColor, bits: 8 | 10) {
  const [kr, kb] = WEIGHTS[matrix], kg = 1 - kr - kb, scale = 2 ** (bits - 8), most = 2 ** bits - 1;
  const low = full ? 0 : 16 * scale, yRange = full ? most : 219 * scale, cRange = full ? most : 224 * scale;
  return (y: number, cb: number, cr: number, to: Uint8ClampedArray, at: number) => {
    const light = (y - low) / yRange, blue = (cb - 128 * scale) / cRange, red = (cr - 128 * scale) / cRange;
    to[at] = Math.round(255 * (light + 2 * (1 - kr) * red));
    to[at + 1] = Math.round(255 * (light - 2 * (kr * (1 - kr) * red + kb * (1 - kb) * blue) / kg));
    to[at + 2] = Math.round(255 * (light + 2 * (1 - kb) * blue));
    to[at + 3] = 255;
  };
}
