import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { Plane, PlaneLayer, PlaneModel, ScalingLimits } from "../../planes/plane.ts";
import { scaleOf } from "../../planes/search/layer_facts.ts";
import { clientTargetLayer } from "../../planes/search/problem.ts";
import type { Rect } from "../../types.ts";
import type { CardPlane } from "../card/facts.ts";
import type { PlanePicture, Refusal } from "./screen_state.ts";

/** The factors by which pictures are made larger and smaller to find the limits of a plane. */
const FACTORS = [2, 4, 8, 16];

/** Whom a probe asks. */
export interface Asked {
  /** The card's planes by the names in the model. */
  readonly planes: ReadonlyMap<string, CardPlane>;
  /** A picture of the screen's size. */
  readonly picture: GraphicBuffer;
  /** All pixels of the screen. */
  readonly area: Rect;
  /** Asks the kernel whether it could show pictures. Returns `undefined`, or the reason against that. */
  test(pictures: readonly PlanePicture[]): Refusal | undefined;
}

/** Whether some layer would have to be scaled. */
export function needsScaling(layers: readonly PlaneLayer[]): boolean {
  return layers.some((layer) => {
    const { x, y } = scaleOf(layer);
    return layer.buffer !== undefined && (x !== 1 || y !== 1);
  });
}

/**
 * Finds out which planes scale and by what, which no property of a card says: asks the kernel about the screen's picture,
 * larger and smaller. Returns the model with the limits; `undefined` if the kernel could not answer now.
 */
export function probeScaling(model: PlaneModel, asked: Asked): PlaneModel | undefined {
  const [bottom] = model.planes, planes: Plane[] = [];
  for (const plane of model.planes) {
    const scaling = plane.cursor ? undefined : limitsOf(plane.name, plane === bottom ? undefined : bottom.name, asked);
    if (scaling === "later") return undefined;
    planes.push(scaling ? { ...plane, scaling } : plane);
  }
  return { ...model, planes };
}

function limitsOf(name: string, below: string | undefined, asked: Asked): ScalingLimits | undefined | "later" {
  const largest = { min: 1, max: 1 };
  for (const isLarger of [true, false]) {
    for (const factor of FACTORS) {
      const refusal = asked.test(scaled(name, below, asked, isLarger ? factor : 1 / factor));
      if (refusal?.lasts === false) return "later";
      if (refusal) break;
      if (isLarger) largest.max = factor;
      else largest.min = 1 / factor;
    }
  }
  return largest.min === 1 && largest.max === 1 ? undefined : largest;
}

/** The picture on a plane, larger or smaller. Many cards show no plane without one that fills the screen below. */
function scaled(name: string, below: string | undefined, { planes, picture, area }: Asked, factor: number) {
  const target = clientTargetLayer(area), across = part(area.right, factor), down = part(area.bottom, factor);
  const layer: PlaneLayer = {
    ...target,
    sourceCrop: { left: 0, top: 0, right: across.read, bottom: down.read },
    displayFrame: { left: 0, top: 0, right: across.shown, bottom: down.shown },
  };
  const on = (plane: string, layer: PlaneLayer): PlanePicture => ({
    plane: planes.get(plane)!,
    layer,
    buffer: picture,
  });
  return below === undefined ? [on(name, layer)] : [on(below, target), on(name, layer)];
}

/** Returns the pixels of a row that are read, and the pixels that are shown for them. */
function part(size: number, factor: number): { read: number; shown: number } {
  const read = Math.max(1, Math.floor(factor > 1 ? size / factor : size));
  return { read, shown: Math.max(1, Math.round(read * factor)) };
}
