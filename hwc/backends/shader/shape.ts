import type { Run, Step } from "../plan/step.ts";
import type { Rect } from "../../types.ts";
import { disjoint } from "../../rects.ts";
import type { PixelKind } from "../surface.ts";

/** Bytes of one layer in the uniform block. */
export const LAYER_BYTES = 192;
/** Number of layers that one dispatch composes: the maximum, or one. */
export type LayersAtOnce = 1 | 8;

/** Targets that shaders write, as they are told of them. */
export const TARGETS: Partial<Record<PixelKind, number>> = { rgba8888: 0, rgbx8888: 2, bgra8888: 1 };
/** Flag: the shape also continues the present picture. */
export const GOES_ON = 4;

const KINDS: Readonly<Record<PixelKind, number>> = {
  rgba8888: 1,
  rgbx8888: 2,
  bgra8888: 3,
  rgb888: 4,
  rgb565: 5,
  rgba1010102: 6,
  "rgba-fp16": 7,
  r8: 8,
  y8: 9,
  yuv: 10,
};
const WIDE = 11, FILTERED = 64, DIMMED = 128, CONVERTED = 256, OPAQUE = 512;

/** Returns the layer's properties for which the shader is compiled, for rule.glsl. */
export function shapeOf({ source, blend, alpha8, conversion, isOpaque }: Step): number {
  const kind = !source ? 0 : source.surface.yuv?.wide ? WIDE : KINDS[source.surface.kind];
  return kind | blend << 4 | (source?.isFiltered ? FILTERED : 0) | (alpha8 === 255 ? 0 : DIMMED) |
    (conversion ? CONVERTED : 0) | (isOpaque ? OPAQUE : 0);
}

/** Writes a layer as rule.glsl declares it (std140); `tables` says where its colour tables are, in words. */
export function writeLayer(
  view: DataView,
  at: number,
  step: Step,
  tables: readonly [decode: number, encode: number],
): void {
  const { frame, source, alpha8, color, conversion } = step;
  const { across = 0, down = 0, map, horizontal, vertical, yuv, surface } = source ?? {};
  const at2 = surface?.yuv;
  const shifts = (at2?.shiftX ?? 0) << 8 | (at2?.shiftY ?? 0) << 12;
  const words = [
    ...[frame.left, frame.top, frame.right, frame.bottom],
    ...[across, down, surface?.pitch ?? 0, shapeOf(step)],
    ...[map?.ox ?? 0, map?.oy ?? 0, alpha8, wordOf(color)],
    ...[map?.xi ?? 0, map?.xj ?? 0, map?.yi ?? 0, map?.yj ?? 0],
    ...[horizontal?.start ?? 0, horizontal?.step ?? 0, vertical?.start ?? 0, vertical?.step ?? 0],
    ...[yuv?.yg ?? 0, yuv?.yb ?? 0, at2?.y ?? 0, at2?.ystep ?? 0],
    ...[yuv?.ub ?? 0, yuv?.ug ?? 0, yuv?.vg ?? 0, yuv?.vr ?? 0],
    ...[at2?.cb ?? 0, at2?.cr ?? 0, at2?.cstride ?? 0, (at2?.cstep ?? 0) | shifts],
    ...(conversion?.tables.matrix ?? NO_MATRIX),
    ...[...tables, 0, 0],
  ];
  words.forEach((word, index) => view.setInt32(at + 4 * index, word, true));
}

const NO_MATRIX: readonly number[] = Array(12).fill(0);

/** Writes a layer that covers nothing. */
export function writeNothing(view: DataView, at: number): void {
  for (let offset = 0; offset < LAYER_BYTES; offset += 4) view.setInt32(at + offset, 0, true);
}

/** Layers that are drawn at once, and what goes on from there. */
export interface Chunk {
  readonly steps: readonly Step[];
  readonly isFirst: boolean;
}

/** A run in chunks of so many layers at most; one of none fills the background. */
export function chunksOf({ steps, isFirst }: Run, most: number): Chunk[] {
  const chunks = [{ steps: steps.slice(0, most), isFirst }];
  for (let begin = most; begin < steps.length; begin += most) {
    chunks.push({ steps: steps.slice(begin, begin + most), isFirst: false });
  }
  return chunks;
}

/** Returns the part of the target that a run draws. */
export function areaOfRun({ isFirst, area, steps }: Run): readonly Rect[] {
  return isFirst ? area : disjoint(steps.flatMap(({ rects }) => rects));
}

/** A colour of 0 to 1 as a word, red in the lowest byte. */
export function wordOf(color: readonly number[]): number {
  const [r, g, b, a] = color.map((value) => Math.round(255 * value));
  return a << 24 | b << 16 | g << 8 | r;
}
