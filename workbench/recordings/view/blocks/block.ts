/**
 * Decodes a block of texels. Writes four numbers for each texel, row by row: red, green, blue, alpha. Colours of whole
 * numbers are from 0 to 255, others as they are.
 */
export type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array) => void;

/** Reads the bits of a block from the least significant one on. */
export class BlockBits {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  /** The next bit. */
  at = 0;

  /** Begins with the first bit of the byte at `start`. */
  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#start = start;
  }

  /** Returns so many bits as a number, at most 24, and goes on behind them. */
  take(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.at++) {
      value |= (this.#bytes[this.#start + (this.at >> 3)] >> (this.at & 7) & 1) << bit;
    }
    return value;
  }
}

/** Weights of two numbers of 2, 3 and 4 bits, from 0 to 64. */
export const WEIGHTS: Readonly<Record<number, readonly number[]>> = {
  2: [0, 21, 43, 64],
  3: [0, 9, 18, 27, 37, 46, 55, 64],
  4: [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
};

/** Returns the number between two, by a weight from 0 to 64. */
export function between(low: number, high: number, weight: number): number {
  return low * (64 - weight) + high * weight + 32 >> 6;
}
