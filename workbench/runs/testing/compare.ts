import type { Tolerance } from "./options.ts";
import type { TestPicture } from "../../pages/picture.ts";

/** The difference of two pictures of one size. */
export interface PictureDifference {
  /** Number of pixels that differ by more than the tolerance. */
  readonly pixels: number;
  /** The largest difference of a channel, 0 to 255. */
  readonly most: number;
  /** The first pixel that differs, from the top; `undefined` if there is none. */
  readonly first?: { readonly x: number; readonly y: number };
}

/** The default tolerance of a channel, which covers the differences of rounding and filtering between drivers. */
export const CHANNEL_TOLERANCE = 2;

/**
 * Compares two pictures channel by channel.
 *
 * @throws when their sizes differ.
 *
 * @example One pixel of two
 * ```ts
 * import { comparePictures } from "@pumice/gfx/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const one = { width: 2, height: 1, data: new Uint8Array([9, 9, 9, 255, 0, 0, 0, 255]) };
 * const other = { width: 2, height: 1, data: new Uint8Array([9, 9, 9, 255, 0, 40, 0, 255]) };
 * assertEquals(comparePictures(one, other), { pixels: 1, most: 40, first: { x: 1, y: 0 } });
 * ```
 */
export function comparePictures(one: TestPicture, other: TestPicture, tolerance: Tolerance = {}): PictureDifference {
  const { width, height } = one, { channel = CHANNEL_TOLERANCE } = tolerance;
  if (width !== other.width || height !== other.height) {
    throw new TypeError(
      `Cannot compare ${width} × ${height} with ${other.width} × ${other.height}: give pictures of one size`,
    );
  }
  let pixels = 0, most = 0, first: PictureDifference["first"];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const apart = distance(one.data, other.data, 4 * pixel);
    most = Math.max(most, apart);
    if (apart <= channel) continue;
    pixels++;
    first ??= { x: pixel % width, y: Math.floor(pixel / width) };
  }
  return first ? { pixels, most, first } : { pixels, most };
}

/** The largest difference of a pixel's channels. */
export function distance(one: Uint8Array, other: Uint8Array, at: number): number {
  let most = 0;
  for (let channel = at; channel < at + 4; channel++) most = Math.max(most, Math.abs(one[channel] - other[channel]));
  return most;
}
