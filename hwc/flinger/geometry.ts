import type { Rect } from "../types.ts";

const FLIPS = 3, ROT_90 = 4;

/** One TRANSFORM, then another, as a single one. */
export function combine(first: number, then: number): number {
  // A flip after a turn is the other flip before it.
  const flips = (first & ROT_90) !== 0 ? swapFlips(then & FLIPS) : then & FLIPS;
  const isTurnedTwice = (first & then & ROT_90) !== 0;
  return (first & FLIPS) ^ flips ^ (isTurnedTwice ? FLIPS : 0) | ((first ^ then) & ROT_90);
}

function swapFlips(flips: number): number {
  return (flips & 1) << 1 | flips >> 1;
}

/** Whether a TRANSFORM swaps width and height. */
export function isTurned(transform: number): boolean {
  return (transform & ROT_90) !== 0;
}

/** Whether there is nothing in it. */
export function isEmpty({ left, top, right, bottom }: Rect): boolean {
  return !(left < right && top < bottom);
}

/** A rectangle in whole pixels. */
export function rounded({ left, top, right, bottom }: Rect): Rect {
  return { left: Math.round(left), top: Math.round(top), right: Math.round(right), bottom: Math.round(bottom) };
}
