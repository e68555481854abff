import {
  GL_ALPHA,
  GL_BGRA_EXT,
  GL_BYTE,
  GL_DEPTH_COMPONENT,
  GL_DEPTH_STENCIL,
  GL_FIXED,
  GL_FLOAT,
  GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
  GL_HALF_FLOAT,
  GL_HALF_FLOAT_OES,
  GL_INT,
  GL_LUMINANCE,
  GL_LUMINANCE_ALPHA,
  GL_RED,
  GL_RED_INTEGER,
  GL_RG,
  GL_RG_INTEGER,
  GL_RGB,
  GL_RGB_INTEGER,
  GL_RGBA,
  GL_RGBA_INTEGER,
  GL_SHORT,
  GL_STENCIL_INDEX,
  GL_UNSIGNED_BYTE,
  GL_UNSIGNED_INT,
  GL_UNSIGNED_INT_10F_11F_11F_REV,
  GL_UNSIGNED_INT_24_8,
  GL_UNSIGNED_INT_2_10_10_10_REV,
  GL_UNSIGNED_INT_5_9_9_9_REV,
  GL_UNSIGNED_SHORT,
  GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT,
  GL_UNSIGNED_SHORT_4_4_4_4,
  GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT,
  GL_UNSIGNED_SHORT_5_5_5_1,
  GL_UNSIGNED_SHORT_5_6_5,
} from "../gen/gl_constants_gen.js";

/** Components of the pixel formats of OpenGL ES. */
const COMPONENTS: Readonly<Record<number, number>> = {
  [GL_STENCIL_INDEX]: 1,
  [GL_DEPTH_COMPONENT]: 1,
  [GL_RED]: 1,
  [GL_ALPHA]: 1,
  [GL_RGB]: 3,
  [GL_RGBA]: 4,
  [GL_LUMINANCE]: 1,
  [GL_LUMINANCE_ALPHA]: 2,
  [GL_BGRA_EXT]: 4,
  [GL_RG]: 2,
  [GL_RG_INTEGER]: 2,
  [GL_DEPTH_STENCIL]: 2,
  [GL_RED_INTEGER]: 1,
  [GL_RGB_INTEGER]: 3,
  [GL_RGBA_INTEGER]: 4,
};

/** Bytes of one component of each type. */
const COMPONENT_SIZES: Readonly<Record<number, number>> = {
  [GL_BYTE]: 1,
  [GL_UNSIGNED_BYTE]: 1,
  [GL_SHORT]: 2,
  [GL_UNSIGNED_SHORT]: 2,
  [GL_INT]: 4,
  [GL_UNSIGNED_INT]: 4,
  [GL_FLOAT]: 4,
  [GL_HALF_FLOAT]: 2,
  [GL_FIXED]: 4,
  [GL_HALF_FLOAT_OES]: 2,
};

/** Bytes of a whole pixel of each packed type. */
const PACKED_SIZES: Readonly<Record<number, number>> = {
  [GL_UNSIGNED_SHORT_4_4_4_4]: 2,
  [GL_UNSIGNED_SHORT_5_5_5_1]: 2,
  [GL_UNSIGNED_SHORT_5_6_5]: 2,
  [GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT]: 2,
  [GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT]: 2,
  [GL_UNSIGNED_INT_2_10_10_10_REV]: 4,
  [GL_UNSIGNED_INT_24_8]: 4,
  [GL_UNSIGNED_INT_10F_11F_11F_REV]: 4,
  [GL_UNSIGNED_INT_5_9_9_9_REV]: 4,
  [GL_FLOAT_32_UNSIGNED_INT_24_8_REV]: 8,
};

/** Bytes of one pixel; `undefined` for a format or type that OpenGL ES doesn't have. */
export function pixelSize(format: number, type: number): number | undefined {
  const packed = PACKED_SIZES[type];
  if (packed !== undefined) return packed;
  const components = COMPONENTS[format], size = COMPONENT_SIZES[type];
  return components === undefined || size === undefined ? undefined : components * size;
}

/** Returns the bytes of one index of a type; `undefined` for an unknown type. */
export function indexSize(type: number): number | undefined {
  return type === GL_UNSIGNED_BYTE || type === GL_UNSIGNED_SHORT || type === GL_UNSIGNED_INT
    ? COMPONENT_SIZES[type]
    : undefined;
}

/** The layout of images in memory, which glPixelStorei() sets. */
export interface PixelStore {
  /** Rows begin at a multiple of so many bytes. */
  readonly alignment: number;
  /** Pixels from one row to the next; 0 for the image's width. */
  readonly rowLength: number;
  /** Rows from one layer to the next; 0 for the image's height. */
  readonly imageHeight: number;
  /** Pixels, rows and layers left out before the first. */
  readonly skip: readonly [pixels: number, rows: number, images: number];
}

/**
 * Bytes from the first to the last that an image takes; `undefined` for a
 * format or type that OpenGL ES doesn't have.
 */
export function imageSize(
  [width, height, depth]: readonly [number, number, number],
  format: number,
  type: number,
  { alignment, rowLength, imageHeight, skip }: PixelStore,
): number | undefined {
  const pixel = pixelSize(format, type);
  if (pixel === undefined) return undefined;
  if (width <= 0 || height <= 0 || depth <= 0) return 0;
  const row = Math.ceil((rowLength || width) * pixel / alignment) * alignment;
  const layer = row * (imageHeight || height);
  return (skip[2] + depth - 1) * layer + (skip[1] + height - 1) * row + (skip[0] + width) * pixel;
}
