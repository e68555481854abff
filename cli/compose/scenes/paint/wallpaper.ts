import { pixel } from "./pixel.ts";

/** Ridges from the back: how high they stand, how they wave, and their colour. */
const RIDGES = [
  { height: 0.6, waves: [1.7, 4.1], colour: [0.55, 0.36, 0.46] },
  { height: 0.7, waves: [2.6, 5.3], colour: [0.34, 0.25, 0.39] },
  { height: 0.82, waves: [3.4, 7.7], colour: [0.16, 0.15, 0.27] },
] as const;
const ZENITH = [0.1, 0.17, 0.33], HORIZON = [0.98, 0.67, 0.47];

/** Paints ridges before an evening sky; the parts that do not move are painted once. */
export function paintWallpaper(words: Uint32Array, stride: number, width: number, height: number): void {
  for (let y = 0; y < height; y++) {
    const down = Math.min(1, y / height / 0.72) ** 1.5;
    const [red, green, blue] = ZENITH.map((from, at) => from + (HORIZON[at] - from) * down);
    words.fill(pixel(red, green, blue), y * stride, y * stride + width);
  }
  for (const { height: level, waves: [slow, fast], colour: [red, green, blue] } of RIDGES) {
    const word = pixel(red, green, blue);
    for (let x = 0; x < width; x++) {
      const along = x / width * 2 * Math.PI;
      const wave = 0.035 * Math.sin(slow * along + level * 9) + 0.014 * Math.sin(fast * along);
      for (let y = Math.round((level + wave) * height); y < height; y++) words[y * stride + x] = word;
    }
  }
}
