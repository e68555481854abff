import type { FRect, Rect } from "../../types.ts";

/** The number of pixels of a rectangle; 0 for an empty one. */
export function areaOf({ left, top, right, bottom }: FRect): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** Whether two rectangles are the same. */
export function isSameRect(one: FRect, other: FRect): boolean {
  return one === other ||
    one.left === other.left && one.top === other.top && one.right === other.right && one.bottom === other.bottom;
}

/** Returns the intersection of two rectangles; empty (not normalized) if they do not overlap. */
export function intersect(one: FRect, other: FRect): Rect {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

/** Whether two rectangles share a pixel. */
function overlaps(one: FRect, other: FRect): boolean {
  return areaOf(intersect(one, other)) > 0;
}

/** Whether a rectangle lies in another one. */
export function contains(outer: FRect, inner: FRect): boolean {
  return outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right &&
    outer.bottom >= inner.bottom;
}

/** The smallest rectangle around both. */
export function around(one: FRect, other: FRect): Rect {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** Returns the parts of a rectangle outside of another one, at most four. */
export function without(rect: Rect, front: Rect): Rect[] {
  if (!overlaps(rect, front)) return [rect];
  const { left, top, right, bottom } = intersect(rect, front);
  return [
    { ...rect, bottom: top },
    { ...rect, top: bottom },
    { left: rect.left, top, right: left, bottom },
    { left: right, top, right: rect.right, bottom },
  ].filter((part) => areaOf(part) > 0);
}
