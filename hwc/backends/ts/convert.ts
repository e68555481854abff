import { type ColorTables, LINEAR_ONE, MATRIX_BITS } from "../color_conversion.ts";
import { byteTimes } from "./blend.ts";

const ROUND = 1 << MATRIX_BITS - 1;

/** Converts the colours of pixels in place. Those of premultiplied pixels are dimmed by alpha again afterwards. */
export function convertRow(
  pixels: Uint32Array<ArrayBuffer>,
  count: number,
  { decode, matrix: m, encode }: ColorTables,
  isPremultiplied: boolean,
): void {
  for (let n = 0; n < count; n++) {
    const pixel = pixels[n], alpha = pixel >>> 24, isDimmed = isPremultiplied && alpha !== 255 && alpha !== 0;
    let r = pixel & 255, g = pixel >>> 8 & 255, b = pixel >>> 16 & 255;
    if (isDimmed) r = straight(r, alpha), g = straight(g, alpha), b = straight(b, alpha);
    r = decode[r], g = decode[g], b = decode[b];
    let x = encode[limit(m[0] * r + m[1] * g + m[2] * b + m[3] + ROUND >> MATRIX_BITS)];
    let y = encode[limit(m[4] * r + m[5] * g + m[6] * b + m[7] + ROUND >> MATRIX_BITS)];
    let z = encode[limit(m[8] * r + m[9] * g + m[10] * b + m[11] + ROUND >> MATRIX_BITS)];
    if (isDimmed) x = byteTimes(x, alpha), y = byteTimes(y, alpha), z = byteTimes(z, alpha);
    pixels[n] = pixel & 0xff000000 | z << 16 | y << 8 | x;
  }
}

function straight(value: number, alpha: number): number {
  const whole = (value * 255 + (alpha >> 1)) / alpha | 0;
  return whole < 255 ? whole : 255;
}

function limit(linear: number): number {
  return linear < 0 ? 0 : linear > LINEAR_ONE ? LINEAR_ONE : linear;
}
