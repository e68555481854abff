import { FORMAT } from "../../wsi/android_values.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { convertPixels } from "../../wsi/consumer/pixels/convert.ts";
import {
  GL_HALF_FLOAT,
  GL_R8,
  GL_RED,
  GL_RGB,
  GL_RGB10_A2,
  GL_RGB565,
  GL_RGBA,
  GL_RGBA16F,
  GL_RGBA8,
  GL_UNSIGNED_BYTE,
  GL_UNSIGNED_INT_2_10_10_10_REV,
  GL_UNSIGNED_SHORT_5_6_5,
} from "../gen/gl_constants_gen.js";

/** The texture format for the pixels of a buffer. */
export interface TexelFormat {
  /** The sized internal format for OpenGL ES 3. */
  readonly internal: number;
  /** The format for glTexSubImage2D. */
  readonly format: number;
  /** The type for glTexSubImage2D. */
  readonly type: number;
  /** Whether the texture takes the pixels as they are in the buffer; otherwise they are first converted to RGBA. */
  readonly direct: boolean;
}

const CONVERTED: TexelFormat = { internal: GL_RGBA8, format: GL_RGBA, type: GL_UNSIGNED_BYTE, direct: false };

/** The formats that textures take directly, by HAL_PIXEL_FORMAT value. */
const DIRECT: Readonly<Record<number, TexelFormat>> = {
  1: { ...CONVERTED, direct: true },
  4: { internal: GL_RGB565, format: GL_RGB, type: GL_UNSIGNED_SHORT_5_6_5, direct: true },
  0x16: { internal: GL_RGBA16F, format: GL_RGBA, type: GL_HALF_FLOAT, direct: true },
  0x2b: { internal: GL_RGB10_A2, format: GL_RGBA, type: GL_UNSIGNED_INT_2_10_10_10_REV, direct: true },
  0x38: { internal: GL_R8, format: GL_RED, type: GL_UNSIGNED_BYTE, direct: true },
};
/** RGBX, RGB and BGRA: formats that are converted although they are RGB. */
const RGB_FORMATS = new Set([2, 3, 5]);

/** The texture format for a buffer; `undefined` for a buffer without a picture. */
export function texelFormat(buffer: GraphicBuffer): TexelFormat | undefined {
  if (isYuv(buffer) || RGB_FORMATS.has(buffer.format)) return CONVERTED;
  return DIRECT[buffer.format];
}

/** The pixels of a buffer as RGBA, for formats that textures do not take directly. */
export function converted(buffer: GraphicBuffer, color: YuvColor): Uint8Array<ArrayBuffer> {
  if (isYuv(buffer)) return yuvToRgba(buffer, color);
  const { width, height, rowPitch, format } = buffer, bytes = buffer.lock(USAGE.CPU_READ_OFTEN);
  try {
    return convertPixels({ bytes, width, height, rowPitch, format }).data;
  } finally {
    buffer.unlock();
  }
}

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
function isYuv({ pixelFormat: { arrangement, hal } }: GraphicBuffer): boolean {
  return hal === FORMAT.YCBCR_422_I || /^(yv12|i4|nv|p010)/.test(arrangement);
}

/**
 * Converts a YCbCr buffer to RGBA with four bytes in each pixel, opaque, without gaps. The values are exact and rounded
 * to nearest. All pixels that share a chroma sample get the same one.
 */
function yuvToRgba(buffer: GraphicBuffer, color: YuvColor): Uint8Array<ArrayBuffer> {
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
