import type { Frame } from "../contract/frame_consumer.ts";

/** Rows of a buffer, `bottom` exclusive. */
export interface RowRange {
  readonly top: number;
  readonly bottom: number;
}

/** How many frames back a page may be and still get only what changed. */
const MOST_CHANGES = 64;

/**
 * Remembers which rows changed from frame to frame, so that a page that has
 * an older one needs to get no more than these: most of what a frame costs is
 * its way to the browser.
 */
export class DamageHistory {
  #last: { readonly number: bigint; readonly shape: string } | undefined;
  #changes: { readonly sequence: number; readonly range: RowRange }[] = [];
  /** The first frame since which all changes are known. */
  #from = Infinity;

  /** A frame comes after all others. */
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

  /** Which rows changed after a frame; `undefined` when that may be any. */
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

/** What must be the same for the damage of a frame to hold for pages that have the one before. */
function shapeOf({ buffer: { width, height, format }, crop, dataspace, transform }: Frame): string {
  return [width, height, format, crop.left, crop.top, crop.right, crop.bottom, dataspace, transform].join();
}

/** The rows of a frame's damage; `undefined` when it says nothing. */
function rowsOf({ damage }: Frame): RowRange | undefined {
  const real = damage.filter(({ left, right, top, bottom }) => left < right && top < bottom);
  if (damage.length === 0) return undefined;
  if (real.length === 0) return { top: 0, bottom: 0 };
  return { top: Math.min(...real.map(({ top }) => top)), bottom: Math.max(...real.map(({ bottom }) => bottom)) };
}
