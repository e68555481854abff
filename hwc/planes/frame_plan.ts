import type { Composition } from "../types.ts";
import type { PlaneLayer } from "./plane_layer.ts";

/** Why one plane did not get a layer. */
export interface PlaneRefusal {
  /** The plane. */
  readonly plane: string;
  /** What it cannot do, such as "cannot scale"; `undefined` if it could show the layer. */
  readonly why: string | undefined;
}

/** What becomes of one layer. */
export interface PlaneDecision {
  /** The layer. */
  readonly layer: PlaneLayer;
  /** Who the client wants to compose it. */
  readonly asked: Composition;
  /** Who does. */
  readonly given: Composition;
  /** The plane that shows it; `undefined` if the client does, or nothing needs to. */
  readonly plane: string | undefined;
  /** Whether the client must clear its target where this layer is. */
  readonly clearsTarget: boolean;
}

/** A decision with its reasons. */
export interface Explanation extends PlaneDecision {
  /** One sentence: why it got its plane, needs none, or fell to the client. */
  readonly reason: string;
  /** For a layer the device was asked for: what each plane says. */
  readonly planes: readonly PlaneRefusal[];
}

/** How a frame is shown: made by a {@linkcode Strategy}. */
export interface FramePlan {
  /** The strategy that made it. */
  readonly strategy: string;
  /** For each layer, in the order they were given. */
  readonly decisions: readonly PlaneDecision[];
  /** The plane of the client target; `undefined` if the client composes nothing. */
  readonly target: string | undefined;
  /** Planes from the bottom: the index of the layer each shows, -1 for the client target. */
  readonly stack: readonly { readonly plane: string; readonly layer: number }[];
  /** Pixels that the GPU draws or clears for this frame. */
  readonly gpuWork: number;
  /** Pixels that it would draw if it composed all. */
  readonly totalWork: number;
  /** Whether the search stopped before it had looked at everything: the plan is good, but perhaps not the best. */
  readonly isCutShort: boolean;
  /** The reasons, for every layer; worked out when asked. */
  explain(): Explanation[];
}

/** A plan as text: one line a layer. */
export function planText(plan: FramePlan): string {
  const lines = plan.explain().map(({ layer, given, plane, reason, asked }) => {
    const change = asked === given ? `${asked}` : `${asked}->${given}`;
    return `  ${layer.name ?? `z ${layer.z}`}: composition ${change}, ${plane ?? "no plane"}: ${reason}`;
  });
  const saved = plan.totalWork === 0 ? 100 : Math.round(100 * (1 - plan.gpuWork / plan.totalWork));
  const head = `${plan.strategy}: client target ${
    plan.target === undefined ? "not needed" : `on ${plan.target}`
  }, ${saved} % of the GPU's work saved`;
  return [head, ...lines].join("\n");
}
