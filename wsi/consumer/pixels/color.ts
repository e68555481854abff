import type { ColorSpace } from "./dataspace.ts";
import { type Matrix, matrixToSrgb } from "./gamut.ts";
import { toneCurve } from "./tone_map.ts";
import { HLG_PEAK, REFERENCE_WHITE } from "./transfer.ts";

/** Turns linear red, green and blue in a row of RGBA, so many pixels, into linear sRGB light, in place. */
export type ColorStep = (row: Float32Array, pixels: number) => void;

const HLG_GAMMA = 1.2;

/**
 * The steps from a color space's linear light to sRGB's. HDR light is tone
 * mapped ({@linkcode toneCurve}); the peak is the brightest the picture says it
 * has, cd/m². What is outside of sRGB after that is for the encoder to clamp.
 */
export function colorSteps({ gamut, transfer }: ColorSpace, peak?: number): ColorStep[] {
  const steps: ColorStep[] = [], matrix = matrixToSrgb(gamut);
  if (transfer === "hlg") steps.push(showHlg);
  if (matrix) steps.push((row, pixels) => multiply(row, pixels, matrix));
  const hdr = transfer === "hlg" || transfer === "pq";
  if (hdr) steps.push(mapTones(toneCurve(transfer === "hlg" ? HLG_PEAK : peak)));
  return steps;
}

function multiply(row: Float32Array, pixels: number, m: Matrix): void {
  for (let at = 0, end = 4 * pixels; at < end; at += 4) {
    const red = row[at], green = row[at + 1], blue = row[at + 2];
    row[at] = m[0] * red + m[1] * green + m[2] * blue;
    row[at + 1] = m[3] * red + m[4] * green + m[5] * blue;
    row[at + 2] = m[6] * red + m[7] * green + m[8] * blue;
  }
}

/** BT.2100's OOTF: the scene's light to the display's, which depends on the luminance of all three. */
function showHlg(row: Float32Array, pixels: number): void {
  const white = HLG_PEAK / REFERENCE_WHITE;
  for (let at = 0, end = 4 * pixels; at < end; at += 4) {
    const luminance = 0.2627 * row[at] + 0.678 * row[at + 1] + 0.0593 * row[at + 2];
    const gain = luminance > 0 ? white * luminance ** (HLG_GAMMA - 1) : 0;
    row[at] *= gain;
    row[at + 1] *= gain;
    row[at + 2] *= gain;
  }
}

function mapTones(curve: (light: number) => number): ColorStep {
  return (row, pixels) => {
    for (let at = 0, end = 4 * pixels; at < end; at += 4) {
      const most = Math.max(row[at], row[at + 1], row[at + 2]);
      if (!(most > 0)) continue;
      const gain = curve(most) / most;
      if (gain === 1) continue;
      row[at] *= gain;
      row[at + 1] *= gain;
      row[at + 2] *= gain;
    }
  };
}
