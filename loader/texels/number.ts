import type { Component } from "./format.ts";

/** Bits of the exponent, the mantissa and the sign of floats, by the bits of all. */
const FLOATS: Readonly<
  Record<number, { readonly exponent: number; readonly mantissa: number; readonly sign: number }>
> = {
  10: { exponent: 5, mantissa: 5, sign: 0 },
  11: { exponent: 5, mantissa: 6, sign: 0 },
  16: { exponent: 5, mantissa: 10, sign: 1 },
  32: { exponent: 8, mantissa: 23, sign: 1 },
};
/** Components with more bits than a JavaScript number holds exactly. */
const LONG = 64;
/** Steps of depth in floats: those of 24 bits, which are the same everywhere between 0 and 1. */
const DEPTH_STEPS = 2 ** 24;

/** Returns the number of a component of the texel at an offset: floats as they are, the rest as the stored whole number. */
export function numberAt(bytes: Uint8Array, at: number, component: Component): number {
  const { bits, numericFormat } = component;
  if (bits === LONG) return longAt(bytes, at, component);
  const stored = bitsAt(bytes, at, component), float = floatOf(component);
  if (float) return decoded(stored, float);
  return isSigned(numericFormat) && stored >= 2 ** (bits - 1) ? stored - 2 ** bits : stored;
}

/**
 * Returns how many representable numbers lie between a component of two texels.
 * Depth in floats is counted in steps of 24 bits. All NaNs are one number, and
 * so are the two zeros.
 */
export function stepsBetween(one: Uint8Array, other: Uint8Array, at: number, component: Component): number {
  const left = numberAt(one, at, component), right = numberAt(other, at, component), float = floatOf(component);
  if (Object.is(left, right) || left === right) return 0;
  if (component.bits === LONG) return Infinity;
  if (float && component.name === "D") return Math.ceil(Math.abs(left - right) * DEPTH_STEPS) || Infinity;
  if (!float) return Math.abs(atLeast(left, component) - atLeast(right, component));
  if (Number.isNaN(left) || Number.isNaN(right)) return Infinity;
  const [first, second] = [one, other].map((bytes) => ordered(bitsAt(bytes, at, component), component));
  return Math.abs(first - second);
}

/** The stored bits of a component of at most 32 bits. */
function bitsAt(bytes: Uint8Array, at: number, { firstBit, bits }: Component): number {
  let value = 0;
  for (let byte = (firstBit + bits - 1) >> 3; byte >= firstBit >> 3; byte--) value = value * 256 + bytes[at + byte];
  return Math.floor(value / 2 ** (firstBit & 7)) % 2 ** bits;
}

function longAt(bytes: Uint8Array, at: number, { firstBit, numericFormat }: Component): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at + firstBit / 8, 8);
  if (numericFormat === "SFLOAT") return view.getFloat64(0, true);
  return Number(numericFormat === "SINT" ? view.getBigInt64(0, true) : view.getBigUint64(0, true));
}

function floatOf({ bits, numericFormat }: Component) {
  return numericFormat.endsWith("FLOAT") ? FLOATS[bits] : undefined;
}

function decoded(stored: number, { exponent, mantissa, sign }: (typeof FLOATS)[number]): number {
  const most = 2 ** exponent - 1, bias = most >> 1, fraction = stored % 2 ** mantissa;
  const power = Math.floor(stored / 2 ** mantissa) % 2 ** exponent;
  const factor = sign && stored >= 2 ** (exponent + mantissa) ? -1 : 1;
  if (power === most) return fraction === 0 ? factor * Infinity : NaN;
  return factor * (power === 0 ? fraction : fraction + 2 ** mantissa) * 2 ** (Math.max(power, 1) - bias - mantissa);
}

/** Maps floats so that neighbours differ by one. */
function ordered(stored: number, { bits }: Component): number {
  const top = 2 ** (bits - 1);
  return FLOATS[bits].sign && stored >= top ? top - stored : stored;
}

/** The lowest two signed normalised numbers mean the same. */
function atLeast(value: number, { bits, numericFormat }: Component): number {
  return numericFormat === "SNORM" ? Math.max(value, 1 - 2 ** (bits - 1)) : value;
}

function isSigned(numericFormat: string): boolean {
  return numericFormat.startsWith("S") && !numericFormat.endsWith("FLOAT") && numericFormat !== "SRGB";
}
