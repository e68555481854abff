import type { NativeCall } from "../../../loader/command/compile.ts";

/** Key of an option of `serveLayers` and `serveGlesLayers` that only this project's command line gives: a {@linkcode Pulse}. */
export const PULSE: unique symbol = Symbol("pulse");

/** Places in the shared words. */
export const BEAT = 0, PLACE = 1;

/**
 * Tells another thread of this process where the layers' code is, while that code keeps this thread from telling
 * anything else.
 */
export class Pulse {
  /** Two shared words: how often anything has changed, and the number of the place that runs; 0 for none. */
  readonly words: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(8));
  /** Hears of each new place, before it runs. */
  onPlace: (number: number, place: string) => void = () => {};
  readonly #numbers = new Map<string, number>();

  /** Notes that a place runs now; returns the one before, for the end. */
  enter(number: number): number {
    const before = this.words[PLACE];
    this.words[PLACE] = number;
    this.words[BEAT]++;
    return before;
  }

  /** Returns a function that notes its place while it runs. */
  marked(place: string, call: NativeCall): NativeCall {
    const number = this.numberOf(place);
    return (...args) => {
      const before = this.enter(number);
      try {
        return call(...args);
      } finally {
        this.enter(before);
      }
    };
  }

  /** Returns the number of a place. */
  numberOf(place: string): number {
    const known = this.#numbers.get(place);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(place, number);
    this.onPlace(number, place);
    return number;
  }
}
