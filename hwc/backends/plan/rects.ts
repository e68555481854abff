import type { Rect } from "../../types.ts";

/** The part that two rectangles share; `undefined` if there is none. */
export function intersect(a: Rect, b: Rect): Rect | undefined {
  const left = Math.max(a.left, b.left), top = Math.max(a.top, b.top);
  const right = Math.min(a.right, b.right), bottom = Math.min(a.bottom, b.bottom);
  return left < right && top < bottom ? { left, top, right, bottom } : undefined;
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

/** Pixels in a rectangle. */
export function areaOf({ left, top, right, bottom }: Rect): number {
  return (right - left) * (bottom - top);
}

/** Pixels in rectangles that don't overlap. */
export function areaOfAll(rects: readonly Rect[]): number {
  return rects.reduce((sum, rect) => sum + areaOf(rect), 0);
}
