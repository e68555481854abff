import type { Rect } from "../types.ts";
import type { FramePlan } from "./frame_plan.ts";
import { type Choice, makePlan, prepare, type Prepared } from "./search/make_plan.ts";
import type { PlaneLayer, PlaneModel } from "./plane.ts";
import { search } from "./search/search.ts";

/** Decides which planes show which layers of a frame. */
export interface PlaneStrategy {
  /** The strategy's name in messages and plans. */
  readonly name: string;
  /**
   * Whether the plan depends on no picture and no damage, so that one plan serves all frames in which nothing else
   * changes. Default `false`.
   */
  readonly repeats?: boolean;
  /** Plans a frame for a display of a given size and its planes. */
  plan(layers: readonly PlaneLayer[], model: PlaneModel, screen: Rect): FramePlan;
}

/**
 * Stage 1: the client composes everything. For devices before a strategy knows
 * the planes, and to save power while nothing changes.
 * @param why The reason given for every layer that a plane could have shown.
 *
 * @example
 * ```ts
 * import { clientOnly, createReferenceComposer } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(clientOnly().name, "client-only");
 * createReferenceComposer({ strategy: clientOnly("power is short") });
 * ```
 */
export function clientOnly(why = "this strategy leaves everything to the client"): PlaneStrategy {
  return strategy("client-only", ({ problem }) => ({
    assignment: search(problem, { allowed: 0 }),
    why: () => why,
  }));
}

/**
 * Stage 2: gives planes to the first layers, from the bottom, that planes can show: as many layers as there are planes,
 * or `most`.
 *
 * @example
 * ```ts
 * import { firstLayers } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(firstLayers(2).name, "first-2");
 * ```
 */
export function firstLayers(most: number): PlaneStrategy {
  return strategy(`first-${most}`, ({ problem }) => {
    let forced = 0, count = 0;
    for (let item = 0; item < problem.items.length && count < most; item++) {
      const wanted = forced | 1 << item;
      if (!search(problem, { allowed: wanted, forced: wanted })) continue;
      forced = wanted;
      count++;
    }
    const why = (item: number) => count < most || item < 0 ? undefined : `only the first ${most} layers get planes`;
    return { assignment: search(problem, { allowed: forced, forced }), why };
  });
}

/**
 * Stage 3: gives planes to the layers that save the most GPU work. With up to eight layers the plan is optimal; with
 * more, the plan is the best that the search finds in a millisecond.
 *
 * @example
 * ```ts
 * import { leastGpuWork } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(leastGpuWork().name, "least-gpu-work");
 * ```
 */
export function leastGpuWork(): PlaneStrategy {
  return strategy("least-gpu-work", ({ problem }) => ({ assignment: search(problem) }));
}

function strategy(name: string, choose: (prepared: Prepared) => Omit<Choice, "strategy">): PlaneStrategy {
  return {
    name,
    repeats: true,
    plan(layers, model, screen) {
      const prepared = prepare({ layers, model, screen });
      return makePlan(prepared, { strategy: name, ...choose(prepared) });
    },
  };
}
