import type { FRect, Rect } from "./types.ts";

/** The part that two rectangles share; `undefined` if there is none. */
export function intersect(a: Rect, b: Rect): Rect | undefined {
  const shared = overlapOf(a, b);
  return areaOf(shared) > 0 ? shared : undefined;
}

/** Returns the parts of `a` outside `b`: up to four rectangles that do not overlap. */
export function subtract(a: Rect, b: Rect): Rect[] {
  const shared = intersect(a, b);
  if (!shared) return [a];
  const parts = [
    { ...a, bottom: shared.top },
    { ...shared, left: a.left, right: shared.left },
    { ...shared, left: shared.right, right: a.right },
    { ...a, top: shared.bottom },
  ];
  return parts.filter(({ left, top, right, bottom }) => left < right && top < bottom);
}

/** Returns the parts of rectangles outside other rectangles. */
export function subtractAll(from: readonly Rect[], others: readonly Rect[]): Rect[] {
  return others.reduce<Rect[]>((rest, other) => rest.flatMap((rect) => subtract(rect, other)), [...from]);
}

/** The same area in rectangles that don't overlap. */
export function disjoint(rects: readonly Rect[]): Rect[] {
  return rects.reduce<Rect[]>((known, rect) => [...known, ...subtractAll([rect], known)], []);
}

/** Pixels in rectangles that don't overlap. */
export function areaOfAll(rects: readonly Rect[]): number {
  return rects.reduce((sum, rect) => sum + areaOf(rect), 0);
}

/** The number of pixels of a rectangle; 0 for an empty one. */
export function areaOf({ left, top, right, bottom }: FRect): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** Whether two rectangles are the same. */
export function isSameRect(one: FRect, other: FRect): boolean {
  return one === other ||
    one.left === other.left && one.top === other.top && one.right === other.right && one.bottom === other.bottom;
}

/** Returns the part that two rectangles share; without one, a rectangle of no area, whose edges may be reversed. */
export function overlapOf(one: FRect, other: FRect): Rect {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
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
