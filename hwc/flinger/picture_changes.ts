import type { Frame } from "../../wsi/contract/frame_consumer.ts";
import type { ComposeLayer } from "../backends/compose_layer.ts";
import type { Rect } from "../types.ts";
import { damageOnDisplay } from "./damage_on_display.ts";
import type { FlingerLayer } from "./flinger_layer.ts";

/** A layer as the client draws it. */
export interface DrawnLayer {
  /** Whose it is. */
  readonly layer: FlingerLayer;
  /** How it is drawn. */
  readonly shown: ComposeLayer;
  /** The frame whose buffer is drawn, if one is. */
  readonly frame: Frame | undefined;
}

/** Where a picture of layers, from the bottom, may differ from the one before; rectangles may overlap. */
export function changesBetween(before: readonly DrawnLayer[], now: readonly DrawnLayer[]): Rect[] {
  const old = new Map(before.map((drawn) => [drawn.layer, drawn])),
    kept = new Map(now.map((drawn) => [drawn.layer, drawn]));
  const stayed = now.filter(({ layer }) => old.has(layer));
  const isInOrder = before.filter(({ layer }) => kept.has(layer)).every(({ layer }, at) => stayed[at].layer === layer);
  return [
    ...before.flatMap(({ layer, shown }) => kept.has(layer) ? [] : [shown.displayFrame]),
    ...now.flatMap((drawn) => changesOf(old.get(drawn.layer), drawn, isInOrder)),
  ];
}

function changesOf(before: DrawnLayer | undefined, now: DrawnLayer, isInOrder: boolean): Rect[] {
  const whole = now.shown.displayFrame;
  if (!before) return [whole];
  if (!isInOrder || lookOf(before) !== lookOf(now)) return [before.shown.displayFrame, whole];
  if (before.frame === now.frame) return [];
  // What changed is said since the frame before: it is not known of one that was left out.
  const isNext = before.frame && now.frame && now.frame.number === before.frame.number + 1n;
  const { damage = [] } = now.frame ?? {};
  if (!isNext || damage.length === 0) return [whole];
  return damage.flatMap((rect) => damageOnDisplay(rect, now.shown) ?? []);
}

/** All that a layer's pixels depend on but those of its buffer. */
function lookOf({ shown }: DrawnLayer): string {
  const { displayFrame, sourceCrop, transform, blend, planeAlpha, dataspace, color, colorTransform } = shown;
  const { isProtected = false, buffer } = shown;
  const pixels = buffer && [buffer.width, buffer.height, buffer.format];
  const place = [displayFrame, sourceCrop, transform, blend, planeAlpha];
  return JSON.stringify([place, dataspace, color, colorTransform, isProtected, pixels]);
}
