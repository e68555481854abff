import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { type FRect, type Rect, TRANSFORM } from "../../types.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import { intersect } from "../../rects.ts";
import { fractionsOf } from "../layers/resolve.ts";

/** A layer as the client draws it. */
export interface DrawnLayer {
  /** The layer of the change. */
  readonly layer: FlingerLayer;
  /** The form in which the layer is drawn. */
  readonly shown: ComposeLayer;
  /** The frame of the drawn buffer, if a buffer is drawn. */
  readonly frame: Frame | undefined;
}

/**
 * The parts in which a picture of layers, from the bottom, may differ from the
 * picture before; rectangles may overlap.
 */
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
  // A frame's damage is relative to the frame before it: without that frame, the damage is unknown.
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

/** Pixels of the buffer around a changed one that are mixed with it: the next one by filtering, and one that shares its chroma. */
const REACH = 2;

/**
 * The part of the display that shows a changed part of a layer's buffer;
 * `undefined` if none does. The part may be a pixel too large on each side,
 * never too small.
 */
export function damageOnDisplay(
  changed: Rect,
  { sourceCrop, transform, displayFrame }: Pick<ComposeLayer, "sourceCrop" | "transform" | "displayFrame">,
): Rect | undefined {
  const { left, top, right, bottom } = changed;
  if (!(left < right && top < bottom)) return undefined;
  const outset = { left: left - REACH, top: top - REACH, right: right + REACH, bottom: bottom + REACH };
  const seen = intersect(outset, sourceCrop);
  if (!seen) return undefined;
  const part = turned(fractionsOf(seen, sourceCrop), transform);
  const width = displayFrame.right - displayFrame.left, height = displayFrame.bottom - displayFrame.top;
  return intersect({
    left: Math.floor(displayFrame.left + part.left * width) - 1,
    top: Math.floor(displayFrame.top + part.top * height) - 1,
    right: Math.ceil(displayFrame.left + part.right * width) + 1,
    bottom: Math.ceil(displayFrame.top + part.bottom * height) + 1,
  }, displayFrame);
}

/** Flipped, then turned clockwise. */
function turned(part: FRect, transform: number): FRect {
  let { left, top, right, bottom } = part;
  if ((transform & TRANSFORM.FLIP_H) !== 0) [left, right] = [1 - right, 1 - left];
  if ((transform & TRANSFORM.FLIP_V) !== 0) [top, bottom] = [1 - bottom, 1 - top];
  if ((transform & TRANSFORM.ROT_90) === 0) return { left, top, right, bottom };
  return { left: 1 - bottom, top: left, right: 1 - top, bottom: right };
}
