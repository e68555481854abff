/** Makes numbers from 0 up to, but not including, 1. A seed gives the same numbers on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = state + 0x9e37_79b9 | 0;
    let mixed = state ^ state >>> 16;
    mixed = Math.imul(mixed, 0x21f0_aaad);
    mixed = Math.imul(mixed ^ mixed >>> 15, 0x735a_2d97);
    return ((mixed ^ mixed >>> 15) >>> 0) / 0x1_0000_0000;
  };
}
