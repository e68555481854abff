import { BLEND } from "../../types.ts";
import { type Arithmetic, type Pixel, store8, texel8 } from "./texel.ts";
import { RULE_P } from "./rule_p.ts";

const { fround, trunc } = Math;

/**
 * The arithmetic of the old raw-interface suite: bytes of colour cut off twice
 * a layer, alpha in single precision. A pixel of a scaled layer is the one at
 * its corner. A colour layer replaces the layers below, its alpha 0 to 255.
 */
export const HWC2TRUNC: Arithmetic = {
  load(from, x, y, state) {
    texel8(from, x, y, state);
    state[3] = fround(state[3] / 255);
  },
  fill(color, state) {
    for (let c = 0; c < 3; c++) state[c] = trunc(255 * color[c]);
    state[3] = fround(color[3]);
  },
  sample(step, from, x, y, out) {
    const { across, down, map, exact, isFiltered } = step.source!;
    const i = isFiltered ? Math.min(across - 1, Math.floor(exact.left + x * exact.x)) : x;
    const j = isFiltered ? Math.min(down - 1, Math.floor(exact.top + y * exact.y)) : y;
    texel8(from, map.ox + i * map.xi + j * map.xj, map.oy + i * map.yi + j * map.yj, out);
  },
  solid: RULE_P.solid,
  blend(step, pixel, state) {
    const alpha = fround(step.alpha);
    if (!step.source) return state.set([pixel[0], pixel[1], pixel[2], fround(pixel[3] * alpha)]);
    hwc2Blend(step.blend, pixel, alpha, state);
  },
  store(to, x, y, state) {
    const alpha = trunc(fround(state[3] * 255));
    store8(to, x, y, Float64Array.of(state[0], state[1], state[2], Math.min(255, alpha)));
  },
};

/** One layer's pixel (bytes) onto a state (three bytes and an alpha of 0 to 1), with a plane alpha in single precision. */
export function hwc2Blend(blend: number, pixel: Pixel, planeAlpha: number, state: Pixel): void {
  const alpha = fround(fround(pixel[3] / 255) * planeAlpha);
  if (blend === BLEND.NONE) {
    for (let c = 0; c < 3; c++) state[c] = pixel[c];
    state[3] = alpha;
    return;
  }
  const isStraight = blend === BLEND.COVERAGE, factor = isStraight ? alpha : planeAlpha;
  for (let c = 0; c < 3; c++) {
    const dimmed = fround(pixel[c] * factor);
    state[c] = trunc((isStraight ? dimmed : trunc(dimmed)) + state[c] * (1 - alpha));
  }
  const own = isStraight ? fround(alpha * alpha) : alpha;
  state[3] = fround(own + state[3] * (1 - alpha));
}
