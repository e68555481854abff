/** Squares of the strip, one for each bit, and the pixels along a side of one; sky.frag draws them. */
const BITS = 16, SIDE = 2;

/** The number that a frame carries in its upper left corner: the lowest 16 bits of it. RGBA pixels, rows from the top. */
export function numberIn(data: Uint8Array): number {
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) if (data[4 * SIDE * bit] > 127) number |= 1 << bit;
  return number;
}
