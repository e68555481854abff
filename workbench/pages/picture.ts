import type { Picture as AnyPicture } from "../../wsi/consumer/pixels/convert.ts";

/** Pixels with four bytes each, RGBA, in rows from the top. */
export type TestPicture = AnyPicture<Uint8Array>;
