import type { DriverGl } from "./driver_gl.ts";
import type { PixelAbilities } from "./pixel_abilities.ts";
import {
  GL_FLOAT,
  GL_HALF_FLOAT,
  GL_HALF_FLOAT_OES,
  GL_IMPLEMENTATION_COLOR_READ_FORMAT,
  GL_IMPLEMENTATION_COLOR_READ_TYPE,
  GL_RED,
  GL_RGB,
  GL_RGBA,
  GL_UNSIGNED_BYTE,
  GL_UNSIGNED_INT_2_10_10_10_REV,
  GL_UNSIGNED_SHORT_5_6_5,
} from "../gen/gl_constants_gen.js";
import { FORMAT } from "../../wsi/android_values.ts";

/** The way to read pixels of a gralloc format. */
export interface Packing {
  /** The format for glReadPixels. */
  readonly format: number;
  /** The type for glReadPixels. */
  readonly type: number;
  /** Bytes of a pixel that was read. */
  readonly bytes: number;
  /** Converts a row to the buffer's format. Default: no conversion. */
  readonly convert?: (row: Uint8Array) => Uint8Array;
}

const BYTES: Packing = { format: GL_RGBA, type: GL_UNSIGNED_BYTE, bytes: 4 };

/** The way to read pixels of a HAL_PIXEL_FORMAT from the current surface: directly, if the driver supports that. */
export function packingOf(gl: DriverGl, { major }: PixelAbilities, hal: number): Packing {
  switch (hal) {
    case FORMAT.RGB_565:
      return isOffered(gl, GL_RGB, [GL_UNSIGNED_SHORT_5_6_5])
        ? { format: GL_RGB, type: GL_UNSIGNED_SHORT_5_6_5, bytes: 2 }
        : { ...BYTES, convert: bytesTo565 };
    case FORMAT.RGBA_1010102:
      return major >= 3 || isOffered(gl, GL_RGBA, [GL_UNSIGNED_INT_2_10_10_10_REV])
        ? { format: GL_RGBA, type: GL_UNSIGNED_INT_2_10_10_10_REV, bytes: 4 }
        : { ...BYTES, convert: bytesTo1010102 };
    case FORMAT.RGBA_FP16:
      return isOffered(gl, GL_RGBA, [GL_HALF_FLOAT, GL_HALF_FLOAT_OES])
        ? { format: GL_RGBA, type: gl.integer(GL_IMPLEMENTATION_COLOR_READ_TYPE) >>> 0, bytes: 8 }
        : { format: GL_RGBA, type: GL_FLOAT, bytes: 16, convert: floatsToHalves };
    case FORMAT.R_8:
      return isOffered(gl, GL_RED, [GL_UNSIGNED_BYTE])
        ? { format: GL_RED, type: GL_UNSIGNED_BYTE, bytes: 1 }
        : { ...BYTES, convert: (row) => everyFourth(row) };
  }
  return BYTES;
}

/** Whether a format and type are the driver's preferred ones for the current surface. */
function isOffered(gl: DriverGl, format: number, types: readonly number[]): boolean {
  return gl.integer(GL_IMPLEMENTATION_COLOR_READ_FORMAT) === format &&
    types.includes(gl.integer(GL_IMPLEMENTATION_COLOR_READ_TYPE));
}

function everyFourth(row: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: row.length / 4 }, (_, index) => row[4 * index]);
}

/** Converts bytes to five and six bits, which were spread over eight: the upper bits are the original ones. */
function bytesTo565(row: Uint8Array): Uint8Array {
  const packed = new Uint16Array(row.length / 4);
  for (let at = 0; at < packed.length; at++) {
    const [red, green, blue] = row.subarray(4 * at, 4 * at + 3);
    packed[at] = red >> 3 << 11 | green >> 2 << 5 | blue >> 3;
  }
  return new Uint8Array(packed.buffer);
}

function bytesTo1010102(row: Uint8Array): Uint8Array {
  const packed = new Uint32Array(row.length / 4), ten = (value: number) => value << 2 | value >> 6;
  for (let at = 0; at < packed.length; at++) {
    const [red, green, blue, alpha] = row.subarray(4 * at, 4 * at + 4);
    packed[at] = ten(red) | ten(green) << 10 | ten(blue) << 20 | alpha >> 6 << 30;
  }
  return new Uint8Array(packed.buffer);
}

function floatsToHalves(row: Uint8Array): Uint8Array {
  const values = new Float32Array(row.slice().buffer), view = new DataView(new ArrayBuffer(2 * values.length));
  values.forEach((value, index) => view.setUint16(2 * index, half(value), true));
  return new Uint8Array(view.buffer);
}

const bits = new DataView(new ArrayBuffer(4));

/** Converts a number to a half float, rounded to nearest, ties to even. */
function half(value: number): number {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0), sign = word >>> 16 & 0x8000, size = Math.abs(value);
  if (Number.isNaN(value)) return sign | 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(size || 1)), -14), step = 2 ** (exponent - 10);
  const scaled = size / step, low = Math.floor(scaled), rest = scaled - low;
  const units = rest > 0.5 || rest === 0.5 && low % 2 === 1 ? low + 1 : low;
  return sign | (size === 0 ? 0 : (exponent + 14) * 1024 + units); // subnormal numbers begin at -14 without the 1024
}
