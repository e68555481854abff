import { formatOf } from "../../../../loader/texels/format.ts";
import type { Fields } from "../../record/line.ts";
import type { BufferRange } from "../../state_tracker/memory_bindings.ts";
import type { Box } from "./boxes.ts";
import { inBlocks, phaseOf, type Places } from "./places.ts";
import type { PermittedDifference } from "./permitted_difference.ts";
import type { Slice } from "./slices.ts";

const PADDED_BITS = 24;

/** The place of a slice in a buffer. */
interface Lying {
  readonly buffer: string;
  /** Offset of the slice's first byte. */
  readonly start: number;
  /** Bytes from one row of blocks to the next. */
  readonly pitch: number;
  readonly blockSize: number;
}

/** Notes a copy of a region of an image into a buffer. */
export function copyToBuffer(places: Places, slices: readonly Slice[], buffer: string, region: Fields): void {
  for (const [slice, lying] of lyingAt(slices, buffer, region)) {
    const padding = paddingOf(slice);
    for (const range of rangesOf(slice.box, slice, lying)) {
      if (padding) places.loosen(range, padding, phaseOf(lying.start, padding));
      else places.define(range);
    }
    for (const box of places.around(slice).within(slice.box)) {
      for (const range of rangesOf(box, slice, lying)) {
        places.loosen(range, box.permitted, phaseOf(lying.start, box.permitted));
      }
    }
  }
}

/** Notes a copy of a buffer into a region of an image. */
export function copyToImage(places: Places, buffer: string, slices: readonly Slice[], region: Fields): void {
  for (const [slice, lying] of lyingAt(slices, buffer, region)) {
    places.define(slice);
    const { box } = slice, rows = rangesOf(box, slice, lying), whole = { ...rows[0], to: rows.at(-1)?.to ?? 0 };
    if (rows.length === 0 || isStrict(places, whole)) continue;
    for (let y = box.from[1]; y < box.to[1]; y++) loosenRow(places, slice, lying, y);
  }
}

function isStrict(places: Places, { buffer, from, to }: BufferRange): boolean {
  return places.around({ buffer, from, to }).within({ from: [from, 0, 0], to: [to, 1, 1] }).length === 0;
}

/** Notes the permitted difference of one row of a buffer in the blocks that it was copied into. */
function loosenRow(places: Places, slice: Slice, lying: Lying, y: number): void {
  const { from, to } = slice.box, { blockSize } = lying, padding = paddingOf(slice);
  const row = { from: [from[0], y, from[2]], to: [to[0], y + 1, to[2]] } as const;
  const [range] = rangesOf(row, slice, lying), start = range.from;
  for (const each of places.around(range).within({ from: [start, 0, 0], to: [range.to, 1, 1] })) {
    const { permitted } = each, isPadding = padding && permitted.is === "texels" && permitted.exact;
    if (isPadding && phaseOf(start, permitted) === each.phase) continue;
    const [first, last] = [Math.floor((each.from[0] - start) / blockSize), Math.ceil((each.to[0] - start) / blockSize)];
    const box = { from: [from[0] + first, y, from[2]], to: [from[0] + last, y + 1, to[2]] } as const;
    places.loosen({ ...slice, box }, inBlocks(each, start, blockSize));
  }
}

/** Slices of a region lie one after the other in a buffer, aspects alone. */
function lyingAt(slices: readonly Slice[], buffer: string, region: Fields): [Slice, Lying][] {
  return slices.map((slice, index) => {
    const { blockSize, blockExtent } = formatOf(slice.format, slice.aspect), { from, to } = slice.box;
    const wide = Math.ceil((region.bufferRowLength ?? 0) / blockExtent[0]) || to[0] - from[0];
    const high = Math.ceil((region.bufferImageHeight ?? 0) / blockExtent[1]) || to[1] - from[1];
    const pitch = wide * blockSize, start = Number(region.bufferOffset) + index * high * pitch;
    return [slice, { buffer, start, pitch, blockSize }];
  });
}

/** The ranges of a box of a slice, one for each row, or one for all rows without gaps. */
function rangesOf({ from, to }: Box, { box }: Slice, { buffer, start, pitch, blockSize }: Lying): BufferRange[] {
  const left = (from[0] - box.from[0]) * blockSize, size = (to[0] - from[0]) * blockSize, rows = to[1] - from[1];
  const first = start + (from[1] - box.from[1]) * pitch + left;
  if (size === pitch) return [{ buffer, from: first, to: first + rows * pitch }];
  return Array.from(
    { length: rows },
    (_, row) => ({ buffer, from: first + row * pitch, to: first + row * pitch + size }),
  );
}

/** The permitted difference of the bits beside 24 bits of depth, which a copy may fill with anything. */
function paddingOf({ format, aspect }: Slice): PermittedDifference | undefined {
  const isPadded = aspect === "depth" && formatOf(format, aspect).components[0].bits === PADDED_BITS;
  return isPadded ? { is: "texels", format, aspect, exact: true } : undefined;
}
