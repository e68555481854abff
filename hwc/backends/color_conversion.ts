import { decodeTransfer, encodeTransfer } from "./transfer.ts";
import { gamutMatrix, multiply } from "./gamut.ts";
import type { ResolvedDataspace } from "./dataspace.ts";

/** Linear light that is 1 in the integer tables. */
export const LINEAR_ONE = 1 << 14;
/** Bits behind the point in the integer matrix. */
export const MATRIX_BITS = 12;
/** Greatest magnitude of a matrix coefficient: sums stay below 2³¹. */
const MOST = 7.5;

/** How colours of a layer become those of the target. */
export interface ColorConversion {
  /** Equal for equal conversions. */
  readonly key: string;
  /** Where they come from. */
  readonly from: ResolvedDataspace;
  /** Where they go. */
  readonly to: ResolvedDataspace;
  /** Rows of r, g, b and what is added, in linear light. */
  readonly matrix: readonly (readonly [number, number, number, number])[];
  /** The integer form, for the P-rule. */
  readonly tables: ColorTables;
}

/** What the P-rule converts with: decode, multiply, add half, shift, clamp, encode. */
export interface ColorTables {
  /** 256 of linear light, 0 to {@linkcode LINEAR_ONE}. */
  readonly decode: Uint16Array<ArrayBuffer>;
  /** Three rows of four: r, g, b and what is added, the last in the product's units. */
  readonly matrix: Int32Array<ArrayBuffer>;
  /** {@linkcode LINEAR_ONE} + 1 of encoded bytes. */
  readonly encode: Uint8Array<ArrayBuffer>;
}

const known = new Map<string, ColorConversion>();
const IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const;

/** The conversion from one dataspace to another with a layer's colour transform; `undefined` if pixels stay as they are. */
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

/** Whether a 4×4 matrix changes nothing. */
export function isIdentity(matrix: readonly number[]): boolean {
  return matrix.every((value, index) => value === (index % 5 === 0 ? 1 : 0));
}

function makeConversion(
  key: string,
  from: ResolvedDataspace,
  to: ResolvedDataspace,
  transform?: readonly number[],
): ColorConversion {
  const gamut = from.standard === to.standard ? IDENTITY : gamutMatrix(from.standard, to.standard);
  // The HAL's matrices are for row vectors: a column of theirs is a row of ours, their last row is what is added.
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
