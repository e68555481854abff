import { BLEND } from "../../types.ts";
import { LINEAR_ONE, MATRIX_BITS } from "../colors/color_conversion.ts";
import type { Step } from "../plan/step.ts";
import { type Arithmetic, type Pixel, store8, texel8 } from "./texel.ts";

/** The P-rule, channel by channel, as plainly as it can be said: every state is bytes. */
export const RULE_P: Arithmetic = {
  load: texel8,
  fill(color, state) {
    for (let c = 0; c < 4; c++) state[c] = Math.round(255 * color[c]);
  },
  sample(step, from, x, y, out) {
    const { horizontal, vertical, isFiltered, across, down, map } = step.source!;
    const tap = (i: number, j: number, into: Pixel) => {
      const a = Math.max(0, Math.min(across - 1, i)), b = Math.max(0, Math.min(down - 1, j));
      texel8(from, map.ox + a * map.xi + b * map.xj, map.oy + a * map.yi + b * map.yj, into);
    };
    if (!isFiltered) tap(x, y, out);
    else {
      const px = horizontal.start + horizontal.step * x, py = vertical.start + vertical.step * y;
      const i = Math.floor(px / 65536), j = Math.floor(py / 65536);
      interpolate(tap, i, j, Math.floor(px / 512) - 128 * i, Math.floor(py / 512) - 128 * j, out);
    }
    if (step.conversion) convert(step, out);
  },
  solid(step, out) {
    for (let c = 0; c < 4; c++) out[c] = Math.round(255 * step.color[c]);
    if (step.conversion) convert(step, out);
  },
  blend(step, pixel, state) {
    if (step.blend === BLEND.COVERAGE) return coverage(step.alpha8, pixel, state);
    if (step.alpha8 !== 255) { for (let c = 0; c < 4; c++) pixel[c] = times(pixel[c], step.alpha8); }
    const rest = step.blend === BLEND.NONE ? 0 : 255 - pixel[3];
    for (let c = 0; c < 4; c++) state[c] = Math.min(255, pixel[c] + times(state[c], rest));
  },
  store: store8,
};

/** The rounded product of two bytes as fractions of 255. */
export function times(a: number, b: number): number {
  return Math.round(a * b / 255);
}

/** Straight alpha; its own alpha is squared, as hwcomposer2.h has it. */
function coverage(alpha8: number, pixel: Pixel, state: Pixel): void {
  const alpha = times(pixel[3], alpha8);
  for (let c = 0; c < 4; c++) {
    state[c] = Math.min(255, times(c < 3 ? pixel[c] : alpha, alpha) + times(state[c], 255 - alpha));
  }
}

const CORNERS = [0, 1, 2, 3].map(() => new Float64Array(4));

/** Blends four pixels with weights of 7 bits each way; lower bits are cut off. */
function interpolate(
  tap: (i: number, j: number, into: Pixel) => void,
  i: number,
  j: number,
  right: number,
  below: number,
  out: Pixel,
): void {
  const [a, b, c, d] = CORNERS;
  tap(i, j, a), tap(i + 1, j, b), tap(i, j + 1, c), tap(i + 1, j + 1, d);
  for (let k = 0; k < 4; k++) {
    const above = a[k] * (128 - right) + b[k] * right, under = c[k] * (128 - right) + d[k] * right;
    out[k] = Math.floor((above * (128 - below) + under * below) / 16384);
  }
}

/** Decode, multiply, encode, with colours that alpha does not dim. A pixel without alpha has no colour. */
function convert({ conversion, blend }: Step, pixel: Pixel): void {
  const { decode, matrix, encode } = conversion!.tables, alpha = pixel[3];
  const isDimmed = blend === BLEND.PREMULTIPLIED && alpha < 255;
  if (isDimmed && alpha === 0) return void pixel.fill(0, 0, 3);
  const straight = (value: number) =>
    isDimmed ? Math.min(255, Math.floor((value * 255 + (alpha >> 1)) / alpha)) : value;
  const [r, g, b] = [0, 1, 2].map((c) => decode[straight(pixel[c])]);
  for (let c = 0; c < 3; c++) {
    const [mr, mg, mb, add] = matrix.subarray(4 * c, 4 * c + 4);
    const sum = Math.floor((mr * r + mg * g + mb * b + add + (1 << MATRIX_BITS - 1)) / (1 << MATRIX_BITS));
    const encoded = encode[Math.max(0, Math.min(LINEAR_ONE, sum))];
    pixel[c] = isDimmed ? times(encoded, alpha) : encoded;
  }
}
