import type { ComposeLayer } from "../backends/compose_layer.ts";
import { intersect } from "../backends/rects.ts";
import { type FRect, type Rect, TRANSFORM } from "../types.ts";

/** Pixels of the buffer around a changed one that are mixed with it: the next one by filtering, and one that shares its chroma. */
const REACH = 2;

/** Where on the display a changed part of a layer's buffer is seen; `undefined` for nowhere. A pixel too much on each side is better than one too few. */
export function damageOnDisplay(
  changed: Rect,
  { sourceCrop, transform, displayFrame }: Pick<ComposeLayer, "sourceCrop" | "transform" | "displayFrame">,
): Rect | undefined {
  const { left, top, right, bottom } = changed;
  if (!(left < right && top < bottom)) return undefined;
  const outset = { left: left - REACH, top: top - REACH, right: right + REACH, bottom: bottom + REACH };
  const seen = intersect(outset, sourceCrop);
  if (!seen) return undefined;
  const part = turned(partOf(seen, sourceCrop), transform);
  const width = displayFrame.right - displayFrame.left, height = displayFrame.bottom - displayFrame.top;
  return intersect({
    left: Math.floor(displayFrame.left + part.left * width) - 1,
    top: Math.floor(displayFrame.top + part.top * height) - 1,
    right: Math.ceil(displayFrame.left + part.right * width) + 1,
    bottom: Math.ceil(displayFrame.top + part.bottom * height) + 1,
  }, displayFrame);
}

/** As fractions of the whole. */
function partOf(part: FRect, whole: FRect): FRect {
  const width = whole.right - whole.left, height = whole.bottom - whole.top;
  return {
    left: (part.left - whole.left) / width,
    top: (part.top - whole.top) / height,
    right: (part.right - whole.left) / width,
    bottom: (part.bottom - whole.top) / height,
  };
}

/** Flipped, then turned clockwise. */
function turned(part: FRect, transform: number): FRect {
  let { left, top, right, bottom } = part;
  if ((transform & TRANSFORM.FLIP_H) !== 0) [left, right] = [1 - right, 1 - left];
  if ((transform & TRANSFORM.FLIP_V) !== 0) [top, bottom] = [1 - bottom, 1 - top];
  if ((transform & TRANSFORM.ROT_90) === 0) return { left, top, right, bottom };
  return { left: 1 - bottom, top: left, right: 1 - top, bottom: right };
}
