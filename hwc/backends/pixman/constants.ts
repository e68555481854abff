/** pixman's numbers: operators, filters, repeats and format codes (`bpp << 24 | type << 16 | a << 12 | r << 8 | g << 4 | b`). */
export const PIXMAN = {
  OP_SRC: 1,
  OP_OVER: 3,
  FILTER_NEAREST: 3,
  FILTER_BILINEAR: 4,
  REPEAT_PAD: 2,
  A8R8G8B8: 0x20028888,
  X8R8G8B8: 0x20020888,
  A8B8G8R8: 0x20038888,
  R8G8B8: 0x18020888,
  B5G6R5: 0x10030565,
} as const;
