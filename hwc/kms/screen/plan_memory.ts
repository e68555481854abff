import type { Rect } from "../../types.ts";
import type { FramePlan } from "../../planes/frame_plan.ts";
import type { PlaneModel } from "../../planes/plane.ts";
import type { PlaneBuffer, PlaneLayer } from "../../planes/plane_layer.ts";
import { isSameRect } from "../../planes/search/rect.ts";

/** The scene that a plan was made for. */
export interface PlanScene {
  readonly layers: readonly PlaneLayer[];
  readonly model: PlaneModel;
  readonly area: Rect;
  /** The layers that the card cannot read, with the reasons. */
  readonly unreadable: ReadonlyMap<number, string>;
  /** Counts the changes of the screen's mode. */
  readonly generation: number;
}

/** The last plan of a screen, for frames in which nothing but pictures and damage has changed. */
export class PlanMemory {
  #last: { readonly scene: PlanScene; readonly plan: FramePlan } | undefined;

  /** Returns the last plan with these layers; `undefined` if the scene is another one. */
  recall(scene: PlanScene): FramePlan | undefined {
    const { layers } = scene;
    if (!this.#last || !isSameScene(this.#last.scene, scene)) return undefined;
    const { plan } = this.#last;
    const decisions = plan.decisions.map(({ asked, given, plane, clearsTarget }, index) => {
      return { layer: layers[index], asked, given, plane, clearsTarget };
    });
    return { ...plan, decisions };
  }

  /** Remembers a plan. */
  keep(scene: PlanScene, plan: FramePlan): void {
    this.#last = { scene, plan };
  }

  /** Remembers none: the plan was made with an answer of the moment. */
  forget(): void {
    this.#last = undefined;
  }
}

function isSameScene(one: PlanScene, other: PlanScene): boolean {
  return one.model === other.model && one.generation === other.generation && isSameRect(one.area, other.area) &&
    one.unreadable.size === other.unreadable.size &&
    other.unreadable.entries().every(([index, why]) => one.unreadable.get(index) === why) &&
    one.layers.length === other.layers.length &&
    other.layers.every((layer, index) => isAlike(one.layers[index], layer));
}

/** Whether strategies cannot tell two layers apart, but for their pictures. */
function isAlike(one: PlaneLayer, other: PlaneLayer): boolean {
  return one.composition === other.composition && one.blend === other.blend && one.planeAlpha === other.planeAlpha &&
    one.transform === other.transform && one.z === other.z && one.dataspace === other.dataspace &&
    one.isProtected === other.isProtected && one.isCursor === other.isCursor && one.name === other.name &&
    one.color === other.color && one.colorTransform === other.colorTransform &&
    isSameRect(one.displayFrame, other.displayFrame) && isSameRect(one.sourceCrop, other.sourceCrop) &&
    isSameKind(one.buffer, other.buffer);
}

function isSameKind(one: PlaneBuffer | undefined, other: PlaneBuffer | undefined): boolean {
  if (!one || !other) return one === other;
  return one.width === other.width && one.height === other.height && one.format === other.format &&
    one.usage === other.usage;
}
