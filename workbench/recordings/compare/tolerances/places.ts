import type { BufferRange } from "../../state_tracker/memory_bindings.ts";
import { type Box, Boxes, type LooseBox, moved, type Point } from "./boxes.ts";
import { computed, type PermittedDifference, UNDEFINED, unitOf } from "./permitted_difference.ts";
import type { Slice } from "./slices.ts";

/** The permitted differences of all buffers and images, by name. */
export class Places {
  readonly #boxes = new Map<string, Map<string, Boxes>>();

  /** Returns the boxes of the buffer, or of the layer of an image, that has a place. */
  around(place: Slice | BufferRange): Boxes {
    if ("buffer" in place) return this.boxes(place.buffer);
    return this.boxes(place.image, `${place.level} ${place.layer} ${place.aspect}`);
  }

  /** Returns the boxes of a buffer, or of a part of an image. */
  boxes(name: string, part = ""): Boxes {
    const parts = this.#boxes.get(name) ?? new Map<string, Boxes>(), found = parts.get(part) ?? new Boxes();
    this.#boxes.set(name, parts.set(part, found));
    return found;
  }

  /** Notes the end of an object. */
  forget(name: string): void {
    this.#boxes.delete(name);
  }

  /** Notes that contents are the same everywhere now. */
  define(place: Slice | BufferRange): void {
    this.around(place).remove(boxOf(place));
  }

  /** Notes permitted difference in all of a place. */
  loosen(place: Slice | BufferRange, permitted: PermittedDifference, phase = 0): void {
    this.around(place).add({ ...boxOf(place), permitted, phase });
  }

  /** Notes that texels were computed. */
  compute(slice: Slice): void {
    this.loosen(slice, computed(slice.format, slice.aspect));
  }

  /** Whether some of a place is undefined. */
  isUndefined(place: Slice | BufferRange): boolean {
    return this.around(place).within(boxOf(place)).some(({ permitted }) => permitted.is === "undefined");
  }

  /** Notes a copy between two places of one size. */
  copy(from: Slice | BufferRange, to: Slice | BufferRange): void {
    const start = boxOf(to).from, by = boxOf(from).from.map((each, axis) => start[axis] - each) as unknown as Point;
    const isBuffer = "buffer" in to;
    const carried = this.around(from).within(boxOf(from)).map((box) => {
      const { phase, permitted } = box;
      return { ...moved(box, by), phase: isBuffer ? phaseOf(phase + by[0], permitted) : phase };
    });
    this.define(to);
    for (const each of carried) this.around(to).add(each);
  }
}

/** The box of a range: in a buffer x counts bytes. */
export function boxOf(place: Slice | BufferRange): Box {
  return "buffer" in place ? { from: [place.from, 0, 0], to: [place.to, 1, 1] } : place.box;
}

/** Returns the phase of units of which one begins at an offset. */
export function phaseOf(offset: number, permitted: PermittedDifference): number {
  const unit = unitOf(permitted);
  return ((offset % unit) + unit) % unit;
}

/** The permitted difference that blocks of an image have after bytes with permitted difference were copied into them. */
export function inBlocks({ permitted, phase }: LooseBox, start: number, blockSize: number): PermittedDifference {
  const unit = unitOf(permitted);
  return blockSize % unit === 0 && phaseOf(start, permitted) === phase ? permitted : UNDEFINED;
}
