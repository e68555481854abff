/** Components of the pixel formats of OpenGL ES. */
const COMPONENTS: Readonly<Record<number, number>> = {
  0x1901: 1, // GL_STENCIL_INDEX
  0x1902: 1, // GL_DEPTH_COMPONENT
  0x1903: 1, // GL_RED
  0x1906: 1, // GL_ALPHA
  0x1907: 3, // GL_RGB
  0x1908: 4, // GL_RGBA
  0x1909: 1, // GL_LUMINANCE
  0x190A: 2, // GL_LUMINANCE_ALPHA
  0x80E1: 4, // GL_BGRA_EXT
  0x8227: 2, // GL_RG
  0x8228: 2, // GL_RG_INTEGER
  0x84F9: 2, // GL_DEPTH_STENCIL
  0x8D94: 1, // GL_RED_INTEGER
  0x8D98: 3, // GL_RGB_INTEGER
  0x8D99: 4, // GL_RGBA_INTEGER
};

/** Bytes of one component of each type. */
const COMPONENT_SIZES: Readonly<Record<number, number>> = {
  0x1400: 1, // GL_BYTE
  0x1401: 1, // GL_UNSIGNED_BYTE
  0x1402: 2, // GL_SHORT
  0x1403: 2, // GL_UNSIGNED_SHORT
  0x1404: 4, // GL_INT
  0x1405: 4, // GL_UNSIGNED_INT
  0x1406: 4, // GL_FLOAT
  0x140B: 2, // GL_HALF_FLOAT
  0x140C: 4, // GL_FIXED
  0x8D61: 2, // GL_HALF_FLOAT_OES
};

/** Bytes of a whole pixel of each packed type. */
const PACKED_SIZES: Readonly<Record<number, number>> = {
  0x8033: 2, // GL_UNSIGNED_SHORT_4_4_4_4
  0x8034: 2, // GL_UNSIGNED_SHORT_5_5_5_1
  0x8363: 2, // GL_UNSIGNED_SHORT_5_6_5
  0x8365: 2, // GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT
  0x8366: 2, // GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT
  0x8368: 4, // GL_UNSIGNED_INT_2_10_10_10_REV
  0x84FA: 4, // GL_UNSIGNED_INT_24_8
  0x8C3B: 4, // GL_UNSIGNED_INT_10F_11F_11F_REV
  0x8C3E: 4, // GL_UNSIGNED_INT_5_9_9_9_REV
  0x8DAD: 8, // GL_FLOAT_32_UNSIGNED_INT_24_8_REV
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
  return type === 0x1401 || type === 0x1403 || type === 0x1405 ? COMPONENT_SIZES[type] : undefined;
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
