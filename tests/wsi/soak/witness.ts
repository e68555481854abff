import type { FrameConsumer, FrameView } from "../../../mod.ts";
import { numberIn } from "../../../examples/spin/number.ts";

/** A frame as a consumer showed it. */
export interface Sight {
  /** The number that its pixels carry. */
  readonly number: number;
  /** The pixels: rows from the top, nothing between them. */
  readonly pixels: Uint8Array;
  /** The kind of the pixels: bytes as the format has them, RGBA, or RGB with anything for alpha. */
  readonly kind: "raw" | "rgba" | "rgb";
}

/** A consumer that is looked at. */
export interface Witness extends AsyncDisposable {
  /** The consumer that is given to the window. */
  readonly consumer: FrameConsumer;
  /** The number of frames that were shown. */
  readonly shown: number;
  /** The number of times that a number was lower than the one before. */
  readonly disorder: number;
  /** The consumer's own count of copies, if it has one. */
  readonly copies?: number;
  /** Waits until what it was shown is shown, so that only what stays is counted. */
  settle?(): void;
  /** Returns the pictures to compare now that frame `number` was presented. */
  look(number: number, isDue: boolean): Sight[] | Promise<Sight[]>;
}

/** Keeps count of numbers that must not go down. */
export class Order {
  #last = -1;
  /** The count of numbers. */
  count = 0;
  /** The count of those that were too low. */
  disorder = 0;

  /** The next number. */
  add(number: number): void {
    this.count++;
    if (number < this.#last) this.disorder++;
    this.#last = number;
  }
}

/** The rows of a frame one after the other. */
export function packed(view: FrameView): Uint8Array {
  const { pixels, width, height, stride, rowPitch } = view, row = width * rowPitch / stride;
  const rows = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * rowPitch, y * rowPitch + row), y * row);
  return rows;
}

/** The number that a frame carries, whatever its format. */
export function numberOf(view: FrameView): number {
  return numberIn(view.rowPitch === 4 * view.stride ? view.pixels : view.toRgba().data);
}
