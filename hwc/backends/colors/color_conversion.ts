import { decodeTransfer, encodeTransfer } from "./transfer.ts";
import type { ResolvedDataspace, Standard } from "./dataspace.ts";
import { isIdentity } from "./color_matrix.ts";

/** Linear light that is 1 in the integer tables. */
export const LINEAR_ONE: number = 1 << 14;
/** Bits behind the point in the integer matrix. */
export const MATRIX_BITS = 12;
/** Greatest magnitude of a matrix coefficient: sums stay below 2³¹. */
const MOST = 7.5;

/** The conversion of a layer's colours to the target's. */
export interface ColorConversion {
  /** Equal for equal conversions. */
  readonly key: string;
  /** The source's dataspace. */
  readonly from: ResolvedDataspace;
  /** The target's dataspace. */
  readonly to: ResolvedDataspace;
  /** Rows of factors for r, g, b and of the summand, in linear light. */
  readonly matrix: readonly (readonly [number, number, number, number])[];
  /** The integer form, for the P-rule. */
  readonly tables: ColorTables;
}

/** The P-rule's tables: decode, multiply, add half, shift, clamp, encode. */
export interface ColorTables {
  /** 256 of linear light, 0 to {@linkcode LINEAR_ONE}. */
  readonly decode: Uint16Array<ArrayBuffer>;
  /** Three rows of four: factors of r, g, b and the summand, which is in the product's units. */
  readonly matrix: Int32Array<ArrayBuffer>;
  /** {@linkcode LINEAR_ONE} + 1 of encoded bytes. */
  readonly encode: Uint8Array<ArrayBuffer>;
}

const known = new Map<string, ColorConversion>();
const IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const;

/**
 * The conversion from one dataspace to another with a layer's colour transform;
 * `undefined` if pixels stay unchanged.
 */
export function colorConversion(
  from: ResolvedDataspace,
  to: ResolvedDataspace,
  transform?: readonly number[],
): ColorConversion | undefined {
  if (isSame(from, to) && (!transform || isIdentity(transform))) return undefined;
  const key = JSON.stringify([from, to, transform ?? []]);
  let conversion = known.get(key);
  if (!conversion) {
    if (known.size >= 64) known.clear();
    known.set(key, conversion = makeConversion(key, from, to, transform));
  }
  return conversion;
}

function isSame(a: ResolvedDataspace, b: ResolvedDataspace): boolean {
  return a.standard === b.standard && a.transfer === b.transfer && a.isLimited === b.isLimited;
}

function makeConversion(
  key: string,
  from: ResolvedDataspace,
  to: ResolvedDataspace,
  transform?: readonly number[],
): ColorConversion {
  const gamut = from.standard === to.standard ? IDENTITY : gamutMatrix(from.standard, to.standard);
  // The HAL's matrices are for row vectors: each of their columns is a row here, and their last row is the summand.
  const rows = [0, 1, 2].map((c) =>
    transform ? [transform[c], transform[4 + c], transform[8 + c]] as const : IDENTITY[c]
  );
  const product = multiply(rows, gamut);
  const matrix = product.map(([r, g, b], c) => [r, g, b, transform ? transform[12 + c] : 0] as const);
  return { key, from, to, matrix, tables: makeTables(from, to, matrix) };
}

function makeTables(from: ResolvedDataspace, to: ResolvedDataspace, matrix: ColorConversion["matrix"]): ColorTables {
  const decode = Uint16Array.from({ length: 256 }, (_, code) => {
    return Math.round(clamp01(decodeTransfer(from.transfer, expandRange(code / 255, from))) * LINEAR_ONE);
  });
  const encode = Uint8Array.from({ length: LINEAR_ONE + 1 }, (_, linear) => {
    return Math.round(255 * clamp01(compressRange(encodeTransfer(to.transfer, linear / LINEAR_ONE), to)));
  });
  const one = 1 << MATRIX_BITS, limit = (value: number) => Math.max(-MOST, Math.min(MOST, value));
  const integers = matrix.flatMap(([r, g, b, add]) => [
    ...[r, g, b].map((value) => Math.round(limit(value) * one)),
    Math.round(limit(add) * one * LINEAR_ONE),
  ]);
  return { decode, matrix: Int32Array.from(integers), encode };
}

/** RGB of limited range to 0 … 1, and back. */
export function expandRange(value: number, { isLimited }: ResolvedDataspace): number {
  return isLimited ? (value * 255 - 16) / 219 : value;
}

/** The inverse of {@linkcode expandRange}. */
export function compressRange(value: number, { isLimited }: ResolvedDataspace): number {
  return isLimited ? (value * 219 + 16) / 255 : value;
}

function clamp01(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}

/** Three rows of three numbers, for column vectors. */
type Matrix3 = readonly (readonly [number, number, number])[];

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
function gamutMatrix(from: Standard, to: Standard): Matrix3 {
  return multiply(invert(toXyz(to)), toXyz(from));
}

/** A product of matrices. */
function multiply(a: Matrix3, b: Matrix3): Matrix3 {
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
