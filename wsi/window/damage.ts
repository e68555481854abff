import type { Rect } from "../contract/window.ts";
import { TRANSFORM } from "../android_values.ts";

/** More rectangles than these are passed on as one around them. */
const MOST_RECTS = 64;
/** Damage of a frame that equals the frame before. */
const NOTHING: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

/**
 * Converts damage for the consumer, whose rectangles count from the top left corner of the buffer and lie in the buffer.
 * EGL and Android's swapchain give native_window_set_surface_damage OpenGL's rectangles, whose top is greater than their
 * bottom: these count from the bottom left corner of the window before the transform.
 */
export function bufferDamage(
  rects: readonly Rect[],
  size: { width: number; height: number },
  transform: number,
): Rect[] {
  const inside = rects.map((rect) => inBuffer(rect.top > rect.bottom ? flipped(rect, size, transform) : rect, size))
    .filter(({ left, top, right, bottom }) => left < right && top < bottom);
  if (inside.length > MOST_RECTS) return [around(inside)];
  return inside.length === 0 && rects.length > 0 ? [NOTHING] : inside;
}

function around([first, ...others]: readonly Rect[]): Rect {
  return others.reduce((one, other) => ({
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }), first);
}

/** The part of a rectangle that lies in a buffer; with edges in the wrong order if no part does. */
export function inBuffer(rect: Rect, { width, height }: { width: number; height: number }): Rect {
  const { max, min } = Math;
  return {
    left: max(rect.left, 0),
    top: max(rect.top, 0),
    right: min(rect.right, width),
    bottom: min(rect.bottom, height),
  };
}

function flipped(rect: Rect, size: { width: number; height: number }, transform: number): Rect {
  const turned = (transform & TRANSFORM.ROT_90) !== 0;
  const width = turned ? size.height : size.width, height = turned ? size.width : size.height;
  const { left, right } = rect, top = height - rect.top, bottom = height - rect.bottom;
  switch (transform & TRANSFORM.ROT_270) {
    case TRANSFORM.ROT_90:
      return { left: top, top: width - right, right: bottom, bottom: width - left };
    case TRANSFORM.ROT_180:
      return { left: width - right, top: height - bottom, right: width - left, bottom: height - top };
    case TRANSFORM.ROT_270:
      return { left: height - bottom, top: left, right: height - top, bottom: right };
  }
  return { left, top, right, bottom };
}
