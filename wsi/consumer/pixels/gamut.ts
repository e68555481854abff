import type { Gamut } from "./dataspace.ts";

/** Rows of a matrix that turns linear red, green and blue into BT.709's. */
export type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** From the chromaticities of both, with D65 (0.3127, 0.3290) for white. */
const TO_BT709: Readonly<Record<Gamut, Matrix | undefined>> = {
  bt709: undefined,
  p3: [1.2249402, -0.2249402, 0, -0.0420570, 1.0420570, 0, -0.0196376, -0.0786361, 1.0982736],
  bt2020: [1.6604910, -0.5876411, -0.0728499, -0.1245505, 1.1328999, -0.0083494, -0.0181508, -0.1005789, 1.1187297],
  "adobe-rgb": [1.3983557, -0.3983557, 0, 0, 1, 0, 0, -0.0429290, 1.0429290],
};

/** The matrix from a gamut to sRGB's; `undefined` when it is the same. */
export function matrixToSrgb(gamut: Gamut): Matrix | undefined {
  return TO_BT709[gamut];
}
