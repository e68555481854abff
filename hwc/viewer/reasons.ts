import type { Explanation, FramePlan } from "../planes/frame_plan.ts";

/** For how long reasons are taken to hold while planes show the same layers, milliseconds. */
const GOOD_FOR = 250;

/**
 * Why each layer of a display is composed as it is. A moving layer makes a plan
 * a frame, and each search for reasons costs more than the plan: they are asked
 * for when another plane shows a layer, and now and then.
 */
export class Reasons {
  #plan: FramePlan | undefined;
  #shape = "";
  #told = 0;
  #reasons: readonly Explanation[] = [];

  /** Those of a plan, by its decisions. */
  of(plan: FramePlan): readonly Explanation[] {
    const shape = shapeOf(plan), now = performance.now();
    const isGood = plan === this.#plan || (shape === this.#shape && now - this.#told < GOOD_FOR);
    if (isGood) return this.#reasons;
    this.#plan = plan;
    this.#shape = shape;
    this.#told = now;
    return this.#reasons = plan.explain();
  }
}

function shapeOf({ decisions, strategy, target }: FramePlan): string {
  return [strategy, target, ...decisions.map(({ layer, plane, given }) => `${layer.name} ${plane} ${given}`)].join();
}
