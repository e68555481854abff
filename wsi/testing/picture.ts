import type { Picture as AnyPicture } from "../consumer/pixels/convert.ts";

/** Pixels of four bytes, RGBA, rows from the top. */
export type TestPicture = AnyPicture<Uint8Array>;
