import type { Standard } from "./dataspace.ts";

/** Three rows of three numbers, for column vectors. */
export type Matrix3 = readonly (readonly [number, number, number])[];

type Chromaticity = readonly [x: number, y: number];
const D65: Chromaticity = [0.3127, 0.3290], C: Chromaticity = [0.310, 0.316];

/** Red, green, blue and white. */
const PRIMARIES: Readonly<Record<Standard, readonly Chromaticity[]>> = {
  BT709: [[0.640, 0.330], [0.300, 0.600], [0.150, 0.060], D65],
  BT601_625: [[0.640, 0.330], [0.290, 0.600], [0.150, 0.060], D65],
  BT601_525: [[0.630, 0.340], [0.310, 0.595], [0.155, 0.070], D65],
  BT2020: [[0.708, 0.292], [0.170, 0.797], [0.131, 0.046], D65],
  BT470M: [[0.670, 0.330], [0.210, 0.710], [0.140, 0.080], C],
  FILM: [[0.681, 0.319], [0.243, 0.692], [0.145, 0.049], C],
  DCI_P3: [[0.680, 0.320], [0.265, 0.690], [0.150, 0.060], D65], // as Android has it: with the white of displays
  ADOBE_RGB: [[0.640, 0.330], [0.210, 0.710], [0.150, 0.060], D65],
};

/** Linear light of one standard's primaries as another's; white stays white. */
export function gamutMatrix(from: Standard, to: Standard): Matrix3 {
  return multiply(invert(toXyz(to)), toXyz(from));
}

/** A product of matrices. */
export function multiply(a: Matrix3, b: Matrix3): Matrix3 {
  const cell = (row: number, column: number) => a[row].reduce((sum, value, index) => sum + value * b[index][column], 0);
  return [0, 1, 2].map((row) => [cell(row, 0), cell(row, 1), cell(row, 2)] as const);
}

/** Each column is a primary, as bright as it is in white. White is taken as it is: no adaptation between C and D65. */
function toXyz(standard: Standard): Matrix3 {
  const [red, green, blue, white] = PRIMARIES[standard].map(xyz);
  const columns: Matrix3 = [0, 1, 2].map((row) => [red[row], green[row], blue[row]] as const);
  const inverse = invert(columns);
  const scale = inverse.map((row) => row[0] * white[0] + row[1] * white[1] + row[2] * white[2]);
  return columns.map(([r, g, b]) => [r * scale[0], g * scale[1], b * scale[2]] as const);
}

function xyz([x, y]: Chromaticity): readonly [number, number, number] {
  return [x / y, 1, (1 - x - y) / y];
}

function invert(m: Matrix3): Matrix3 {
  const minor = (row: number, column: number) => {
    const [r0, r1] = [(row + 1) % 3, (row + 2) % 3], [c0, c1] = [(column + 1) % 3, (column + 2) % 3];
    return m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
  };
  const determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  return [0, 1, 2].map((row) =>
    [minor(0, row) / determinant, minor(1, row) / determinant, minor(2, row) / determinant] as const
  );
}
