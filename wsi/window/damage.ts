import type { Rect } from "../contract/window.ts";
import { TRANSFORM } from "../android_values.ts";

/**
 * Converts damage for the consumer, whose rectangles count from the top left corner of the buffer. EGL and Android's
 * swapchain give native_window_set_surface_damage OpenGL's rectangles, whose top is greater than their bottom: these
 * count from the bottom left corner of the window before the transform.
 */
export function bufferDamage(
  rects: readonly Rect[],
  size: { width: number; height: number },
  transform: number,
): Rect[] {
  return rects.map((rect) => rect.top > rect.bottom ? flipped(rect, size, transform) : rect);
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
