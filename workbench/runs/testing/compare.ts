import type { Picture as AnyPicture } from "../../../wsi/consumer/pixels/convert.ts";
import type { Tolerance } from "./options.ts";

/** Pixels with four bytes each, RGBA, in rows from the top. */
export type TestPicture = AnyPicture<Uint8Array>;

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

/** The share of the expected picture that stays visible where nothing differs. */
const FADED = 0.25;

/**
 * Draws the difference of two pictures of one size: equal pixels are pale grey; different pixels are orange to dark
 * red, darker for a larger difference.
 *
 * @example
 * ```ts
 * import { differencePicture } from "@pumice/gfx/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const picture = (red: number) => ({ width: 1, height: 1, data: new Uint8Array([red, 0, 0, 255]) });
 * assertEquals([...differencePicture(picture(0), picture(255)).data], [180, 0, 0, 255]);
 * ```
 */
export function differencePicture(
  expected: TestPicture,
  actual: TestPicture,
  { channel = CHANNEL_TOLERANCE }: Tolerance = {},
): TestPicture {
  const { width, height } = expected, data = new Uint8Array(4 * width * height);
  for (let at = 0; at < data.length; at += 4) {
    const apart = distance(expected.data, actual.data, at);
    data.set(apart > channel ? hot(apart) : faded(expected.data, at), at);
  }
  return { width, height, data };
}

function faded(data: Uint8Array, at: number): number[] {
  const gray = 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
  const pale = Math.round(255 - FADED * (255 - gray));
  return [pale, pale, pale, 255];
}

function hot(apart: number): number[] {
  const share = apart / 255;
  return [Math.round(255 - 75 * share), Math.round(150 * (1 - share)), 0, 255];
}
