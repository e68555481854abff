import { explainText, type Finding } from "../../loader/driver/report/finding.ts";
import type { Composition } from "../types.ts";
import type { PlaneLayer } from "./plane.ts";

/** The reason why one plane did not get a layer. */
export interface PlaneRefusal {
  /** The plane. */
  readonly plane: string;
  /** The missing ability of the plane, such as "cannot scale"; `undefined` if the plane could show the layer. */
  readonly why: string | undefined;
}

/** The composer of one layer. */
export interface PlaneDecision {
  /** The layer. */
  readonly layer: PlaneLayer;
  /** The composition type that the client asked for. */
  readonly asked: Composition;
  /** The composition type that the layer gets. */
  readonly given: Composition;
  /** The plane that shows the layer; `undefined` if the client composes the layer, or if no plane is needed. */
  readonly plane: string | undefined;
  /** Whether the client must clear its target at the layer's place. */
  readonly clearsTarget: boolean;
}

/**
 * The reason for one decision. `path` is the layer's name, or its z where the layer has no name; `origin` is the
 * strategy; `taken` says whether the layer is composed as the client asked; `reason` says why the layer got its plane,
 * needs no plane, or is composed by the client.
 */
export interface PlaneFinding extends Finding, Omit<PlaneDecision, "layer"> {
  /** A layer on planes. */
  readonly subject: "plane";
  /** The content of the layer, such as `320 × 180 RGBA_8888 buffer`, `one colour`, `sideband stream` or `no buffer`. */
  readonly content: string;
  /** For a layer that the client wants on a plane: the answer of each plane. */
  readonly planes: readonly PlaneRefusal[];
}

/** The plan of a frame, made by a {@linkcode Strategy}. */
export interface FramePlan {
  /** The strategy that made it. */
  readonly strategy: string;
  /** One decision for each layer, in the given order. */
  readonly decisions: readonly PlaneDecision[];
  /** The plane of the client target; `undefined` if the client composes no layer. */
  readonly target: string | undefined;
  /** The planes from the bottom: for each plane the index of its layer, or -1 for the client target. */
  readonly stack: readonly { readonly plane: string; readonly layer: number }[];
  /** Number of pixels that the GPU draws or clears for this frame. */
  readonly gpuWork: number;
  /** Number of pixels that the GPU would draw if the client composed every layer. */
  readonly totalWork: number;
  /** Whether the search stopped early: the plan is valid, but a better plan may exist. */
  readonly isCutShort: boolean;
  /** Returns one finding for each layer, in the order of the decisions. The reasons are computed on each call. */
  explain(): PlaneFinding[];
}

/** Returns a plan as text: a line about the whole, then its findings. */
export function planText(plan: FramePlan): string {
  const saved = plan.totalWork === 0 ? 100 : Math.round(100 * (1 - plan.gpuWork / plan.totalWork));
  const target = plan.target === undefined ? "not needed" : `on ${plan.target}`;
  const head = `${plan.strategy}: client target ${target}, ${saved} % of the GPU's work saved`;
  return [head, explainText(plan.explain())].filter((part) => part !== "").join("\n");
}
