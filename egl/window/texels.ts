import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { convertPixels } from "../../wsi/consumer/pixels/convert.ts";
import { isYuv, type YuvColor, yuvToRgba } from "./yuv.ts";
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
