import { BLEND } from "../../types.ts";
import { compressRange, expandRange } from "../colors/color_conversion.ts";
import type { Step } from "../plan/step.ts";
import { decodeTransfer, encodeTransfer } from "../colors/transfer.ts";
import { type Arithmetic, type Pixel, type Readable, storeExact, texelExact } from "./texel.ts";

/** Double precision from the buffers to the target; every state is 0 to 1, premultiplied. */
export const ROUND_ONCE: Arithmetic = {
  load: texelExact,
  fill: (color, state) => state.set(color),
  sample(step, from, x, y, out) {
    const { isFiltered, exact } = step.source!;
    if (isFiltered) {
      bilinear(step, from, exact.left + (x + 0.5) * exact.x - 0.5, exact.top + (y + 0.5) * exact.y - 0.5, out);
    } else tap(step, from, x, y, out);
    if (step.conversion) convert(step, out);
  },
  solid(step, out) {
    out.set(step.color);
    if (step.conversion) convert(step, out);
  },
  blend({ blend, alpha }, pixel, state) {
    const own = pixel[3] * alpha, factor = blend === BLEND.COVERAGE ? own : alpha;
    const rest = blend === BLEND.NONE ? 0 : 1 - own;
    for (let c = 0; c < 3; c++) state[c] = pixel[c] * factor + state[c] * rest;
    state[3] = (blend === BLEND.COVERAGE ? own * own : own) + state[3] * rest;
  },
  store: storeExact,
};

function tap({ source }: Step, from: Readable, i: number, j: number, out: Pixel): void {
  const { across, down, map } = source!;
  const a = Math.max(0, Math.min(across - 1, i)), b = Math.max(0, Math.min(down - 1, j));
  texelExact(from, map.ox + a * map.xi + b * map.xj, map.oy + a * map.yi + b * map.yj, out);
}

const CORNER = new Float64Array(4);

function bilinear(step: Step, from: Readable, x: number, y: number, out: Pixel): void {
  const i = Math.floor(x), j = Math.floor(y), right = x - i, below = y - j;
  out.fill(0);
  for (
    const [di, dj, weight] of [
      [0, 0, (1 - right) * (1 - below)],
      [1, 0, right * (1 - below)],
      [0, 1, (1 - right) * below],
      [1, 1, right * below],
    ]
  ) {
    tap(step, from, i + di, j + dj, CORNER);
    for (let c = 0; c < 4; c++) out[c] += CORNER[c] * weight;
  }
}

function convert({ conversion, blend }: Step, pixel: Pixel): void {
  const { from, to, matrix } = conversion!, alpha = blend === BLEND.PREMULTIPLIED ? pixel[3] : 1;
  if (alpha === 0) return void pixel.fill(0, 0, 3);
  const [r, g, b] = [0, 1, 2].map((c) => decodeTransfer(from.transfer, expandRange(pixel[c] / alpha, from)));
  matrix.forEach(([mr, mg, mb, add], c) => {
    pixel[c] = alpha * compressRange(encodeTransfer(to.transfer, mr * r + mg * g + mb * b + add), to);
  });
}
