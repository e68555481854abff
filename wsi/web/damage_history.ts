import type { Frame } from "../contract/frame_consumer.ts";

/** Rows of a buffer, `bottom` exclusive. */
export interface RowRange {
  readonly top: number;
  readonly bottom: number;
}

/** The greatest number of frames for which changes are kept. */
const MOST_CHANGES = 64;

/**
 * Records the rows that changed from frame to frame. A page with an older frame then gets only these rows: most of a
 * frame's cost is its way to the browser.
 */
export class DamageHistory {
  #last: { readonly number: bigint; readonly shape: string } | undefined;
  #changes: { readonly sequence: number; readonly range: RowRange }[] = [];
  /** The first frame since which all changes are known. */
  #from = Infinity;

  /** Adds a frame after all others. */
  add(sequence: number, frame: Frame): void {
    const { number } = frame, shape = shapeOf(frame);
    const follows = this.#last?.number === number - 1n && this.#last.shape === shape && frame.transform === 0;
    const range = follows ? rowsOf(frame) : undefined;
    this.#last = { number, shape };
    if (range) this.#changes.push({ sequence, range });
    else this.#changes = [];
    if (!range) this.#from = sequence;
    else if (this.#changes.length > MOST_CHANGES) this.#from = this.#changes.shift()!.sequence;
  }

  /** The rows that changed after a frame; `undefined` if any row may have changed. */
  since(sequence: number): RowRange | undefined {
    if (sequence < this.#from) return undefined;
    let top = Infinity, bottom = 0;
    for (const { sequence: when, range } of this.#changes) {
      if (when <= sequence || range.top >= range.bottom) continue;
      top = Math.min(top, range.top);
      bottom = Math.max(bottom, range.bottom);
    }
    return { top: Math.min(top, bottom), bottom };
  }
}

/** The properties that must stay equal for damage to hold for pages that have the previous frame. */
function shapeOf({ buffer: { width, height, format }, crop, dataspace, transform }: Frame): string {
  return [width, height, format, crop.left, crop.top, crop.right, crop.bottom, dataspace, transform].join();
}

/** The rows of a frame's damage; `undefined` for a frame without damage. */
function rowsOf({ damage }: Frame): RowRange | undefined {
  const real = damage.filter(({ left, right, top, bottom }) => left < right && top < bottom);
  if (damage.length === 0) return undefined;
  if (real.length === 0) return { top: 0, bottom: 0 };
  return { top: Math.min(...real.map(({ top }) => top)), bottom: Math.max(...real.map(({ bottom }) => bottom)) };
}
