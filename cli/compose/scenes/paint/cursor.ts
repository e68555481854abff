import { pixel } from "./pixel.ts";

/** The sides of a cursor's picture. */
export const CURSOR_SIZE = 32;

/** An arrow with a dark edge. */
export function paintCursor(words: Uint32Array, stride: number): void {
  const black = pixel(0, 0, 0), white = pixel(1, 1, 1);
  words.fill(0);
  for (let y = 0; y < 26; y++) {
    const wide = Math.floor(y * 0.66);
    for (let x = 0; x <= wide && (y < 19 || x < (26 - y) * 1.8); x++) {
      const isEdge = x < 2 || x > wide - 2 || y > 23;
      words[y * stride + x + 2] = isEdge ? black : white;
    }
  }
}
