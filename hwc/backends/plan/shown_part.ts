import { around } from "../../rects.ts";
import type { Scaling, Source, Step } from "./step.ts";

/** One pixel, in the units of a {@linkcode Scaling}. */
const PIXEL = 65536;
/** Pixels beside the outermost taps that are kept, so that no rounding of a painter's own reads beyond the part. */
const MARGIN = 2;

/** Pixels of a picture from one on, in one direction. */
interface Span {
  readonly from: number;
  readonly count: number;
}

/**
 * Returns a step whose picture is only what the step's rectangles show of it, for painters that convert or turn a
 * picture before they draw: a band of a frame, or a little damage, then costs its own part of that. The pixels are the
 * same. Steps without a picture stay what they are.
 */
export function shownPart(step: Step): Step {
  const { source, frame, rects } = step;
  if (!source || rects.length === 0) return step;
  const { left, top, right, bottom } = rects.reduce(around), { isFiltered, horizontal, vertical } = source;
  const columns = spanOf([left - frame.left, right - frame.left], source.across, isFiltered && horizontal);
  const rows = spanOf([top - frame.top, bottom - frame.top], source.down, isFiltered && vertical);
  const part = partOf(source, columns, rows);
  if (!isFiltered) {
    return { ...step, source: part, frame: { ...frame, left: frame.left + columns.from, top: frame.top + rows.from } };
  }
  const scaled = { horizontal: movedBy(columns, horizontal), vertical: movedBy(rows, vertical) };
  return { ...step, source: { ...part, ...scaled } };
}

/** The pixels of a picture of `length` that the frame's pixels from the first to before the last show. */
function spanOf([first, last]: readonly [number, number], length: number, scaling: Scaling | false): Span {
  const place = (pixel: number) => scaling ? Math.floor((scaling.start + scaling.step * pixel) / PIXEL) : pixel;
  const before = scaling ? MARGIN : 0, behind = scaling ? MARGIN + 2 : 1; // the second tap, and the end
  const from = Math.min(Math.max(place(first) - before, 0), length - 1);
  return { from, count: Math.max(Math.min(place(last - 1) + behind, length) - from, 1) };
}

function partOf(source: Source, columns: Span, rows: Span): Source {
  const { map, exact } = source, { from: i } = columns, { from: j } = rows;
  return {
    ...source,
    across: columns.count,
    down: rows.count,
    map: { ...map, ox: map.ox + i * map.xi + j * map.xj, oy: map.oy + i * map.yi + j * map.yj },
    exact: { ...exact, left: exact.left - i, top: exact.top - j },
  };
}

function movedBy({ from }: Span, { start, step }: Scaling): Scaling {
  return { start: start - PIXEL * from, step };
}
