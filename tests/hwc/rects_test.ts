import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { areaOfAll, disjoint, intersect, subtractAll } from "../../hwc/rects.ts";
import type { Rect } from "../../hwc/types.ts";

const SIZE = 12;
const side = fc.tuple(fc.integer({ min: 0, max: SIZE - 1 }), fc.integer({ min: 1, max: SIZE }));
const rect = fc.tuple(side, side).map(([[x, w], [y, h]]): Rect => ({
  left: x,
  top: y,
  right: Math.min(SIZE, x + w),
  bottom: Math.min(SIZE, y + h),
}));

/** Whether each point of a grid is in one of the rectangles. */
function grid(rects: readonly Rect[]): boolean[] {
  return Array.from({ length: SIZE * SIZE }, (_, n) => {
    const x = n % SIZE, y = Math.floor(n / SIZE);
    return rects.some(({ left, top, right, bottom }) => x >= left && x < right && y >= top && y < bottom);
  });
}

Deno.test("subtractAll() and disjoint() give the points they should, each once", () => {
  fc.assert(fc.property(fc.array(rect, { maxLength: 5 }), fc.array(rect, { maxLength: 5 }), (some, others) => {
    const apart = disjoint(some), rest = subtractAll(apart, others), a = grid(some), b = grid(others);
    assertEquals(grid(apart), a);
    assertEquals(areaOfAll(apart), a.filter(Boolean).length);
    assertEquals(grid(rest), a.map((inside, n) => inside && !b[n]));
    assertEquals(areaOfAll(rest), grid(rest).filter(Boolean).length);
  }));
});

Deno.test("intersect() has nothing to give where rectangles only touch", () => {
  const left = { left: 0, top: 0, right: 2, bottom: 2 }, right = { left: 2, top: 0, right: 4, bottom: 2 };
  assertEquals(intersect(left, right), undefined);
  assertEquals(intersect(left, { left: 1, top: 1, right: 9, bottom: 9 }), { left: 1, top: 1, right: 2, bottom: 2 });
});
