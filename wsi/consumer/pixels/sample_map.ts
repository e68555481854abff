import type { Rect } from "../../contract/window.ts";
import { TRANSFORM } from "../../android_values.ts";

/**
 * The place in a buffer of each pixel of a picture. Flips, quarter turns,
 * cropping and scaling all keep rows and columns apart, so the pixel at x, y
 * comes from `columns[x] + rows[y]`, counted in the units of the format.
 */
export interface SampleMap {
  readonly width: number;
  readonly height: number;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  /** Whether the pixels of a row are consecutive in a row of the buffer. */
  readonly isStraight: boolean;
}

/** The arguments of {@linkcode sampleMap}. */
export interface SampleRequest {
  readonly width: number;
  readonly height: number;
  /** Units from one pixel to the next. */
  readonly step: number;
  /** Units from one row to the next. */
  readonly pitch: number;
  readonly crop?: Rect;
  readonly transform?: number;
  /** Size of the scaled picture; scaling takes the nearest pixel. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** Returns the visible part of a buffer: the crop, limited to the buffer; the whole buffer for an empty crop. */
export function visiblePart(width: number, height: number, crop?: Rect): Rect {
  const all = { left: 0, top: 0, right: width, bottom: height };
  if (!crop) return all;
  const left = Math.max(0, crop.left), top = Math.max(0, crop.top);
  const right = Math.min(width, crop.right), bottom = Math.min(height, crop.bottom);
  return right > left && bottom > top ? { left, top, right, bottom } : all;
}

/** Returns the places of a picture's pixels: a buffer cropped, transformed and scaled. */
export function sampleMap(request: SampleRequest): SampleMap {
  const { width, height, step, pitch, transform = TRANSFORM.NONE } = request;
  const { left, top, right, bottom } = visiblePart(width, height, request.crop);
  const across = axis(left, right, transform & TRANSFORM.FLIP_H, step),
    down = axis(top, bottom, transform & TRANSFORM.FLIP_V, pitch);
  // Turned clockwise, the left column becomes the top row, read from below.
  const turned = (transform & TRANSFORM.ROT_90) !== 0;
  const columns = turned ? down.reverse() : across, rows = turned ? across : down;
  const size = request.size ?? { width: columns.length, height: rows.length };
  const scaled = { columns: nearest(columns, size.width), rows: nearest(rows, size.height) };
  return { ...size, ...scaled, isStraight: isStraight(scaled.columns, step) };
}

function axis(from: number, to: number, flip: number, step: number): Int32Array {
  return Int32Array.from({ length: to - from }, (_, index) => step * (flip ? to - 1 - index : from + index));
}

function nearest(line: Int32Array, length: number): Int32Array {
  if (line.length === length) return line;
  return Int32Array.from({ length }, (_, index) => line[Math.floor((index + 0.5) * line.length / length)]);
}

function isStraight(columns: Int32Array, step: number): boolean {
  return columns.every((column, index) => column === columns[0] + index * step);
}
