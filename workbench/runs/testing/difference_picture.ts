import { CHANNEL_TOLERANCE, distance } from "./compare.ts";
import type { Tolerance } from "./options.ts";
import type { TestPicture } from "../../pages/picture.ts";

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
