import type { CompositionRule } from "../backend.ts";
import { areaOfAll } from "../../rects.ts";
import type { Painter, Run, Step } from "../plan/step.ts";
import { bytesOf, type Surface } from "../surface.ts";
import type { Arithmetic, Readable } from "./texel.ts";
import { HWC2TRUNC } from "./rule_hwc2trunc.ts";
import { RULE_P } from "./rule_p.ts";
import { ROUND_ONCE } from "./rule_round_once.ts";

const RULES: Readonly<Record<CompositionRule, Arithmetic>> = {
  p: RULE_P,
  "round-once": ROUND_ONCE,
  hwc2trunc: HWC2TRUNC,
};

/** Draws anything into anything, pixel by pixel and slowly: what the others are compared with. */
export const referencePainter: Painter = {
  name: "reference",
  writes: () => true,
  can: () => true,
  paint(target, run) {
    if (areaOfAll(run.background) + run.steps.reduce((sum, { rects }) => sum + areaOfAll(rects), 0) === 0) return;
    const to = readable(target), rows = new Rows(to, run);
    for (let y = 0; y < target.height; y++) rows.paint(y);
  },
  close() {},
  [Symbol.dispose]() {},
};

function readable(surface: Surface, step?: Step): Readable {
  const { buffer } = bytesOf(surface);
  return { surface, view: new DataView(buffer), ...(step?.source?.yuv ? { yuv: step.source.yuv } : {}) };
}

/** One row at a time: all layers of a pixel, before it is stored. */
class Rows {
  readonly #to: Readable;
  readonly #run: Run;
  readonly #arithmetic: Arithmetic;
  readonly #sources: readonly (Readable | undefined)[];
  readonly #states: Float64Array<ArrayBuffer>;
  readonly #touched: Uint8Array<ArrayBuffer>;
  readonly #pixel = new Float64Array(4);

  constructor(to: Readable, run: Run) {
    this.#to = to;
    this.#run = run;
    this.#arithmetic = RULES[run.rule];
    this.#sources = run.steps.map((step) => step.source && readable(step.source.surface, step));
    this.#states = new Float64Array(4 * to.surface.width);
    this.#touched = new Uint8Array(to.surface.width);
  }

  paint(y: number): void {
    const { background, backgroundColor, steps } = this.#run;
    this.#touched.fill(0);
    for (const { left, top, right, bottom } of background) {
      if (y < top || y >= bottom) continue;
      for (let x = left; x < right; x++) this.#arithmetic.fill(backgroundColor, this.#state(x));
      this.#touched.fill(1, left, right);
    }
    steps.forEach((step, index) => this.#layer(step, this.#sources[index], y));
    for (let x = 0; x < this.#touched.length; x++) {
      if (this.#touched[x]) this.#arithmetic.store(this.#to, x, y, this.#state(x));
    }
  }

  #layer(step: Step, from: Readable | undefined, y: number): void {
    const { frame, rects } = step, arithmetic = this.#arithmetic, pixel = this.#pixel;
    for (const { left, top, right, bottom } of rects) {
      if (y < top || y >= bottom) continue;
      for (let x = left; x < right; x++) {
        const state = this.#state(x);
        if (!this.#touched[x]) arithmetic.load(this.#to, x, y, state);
        this.#touched[x] = 1;
        if (from) arithmetic.sample(step, from, x - frame.left, y - frame.top, pixel);
        else arithmetic.solid(step, pixel);
        arithmetic.blend(step, pixel, state);
      }
    }
  }

  #state(x: number): Float64Array<ArrayBuffer> {
    return this.#states.subarray(4 * x, 4 * x + 4);
  }
}
