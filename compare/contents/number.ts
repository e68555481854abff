import type { Component } from "./format.ts";

/** Bits of the exponent and the mantissa of floats, by the bits of all. Floats of 10 and 11 bits have no sign. */
const FLOATS: Readonly<
  Record<number, { readonly exponent: number; readonly mantissa: number; readonly sign: number }>
> = {
  10: { exponent: 5, mantissa: 5, sign: 0 },
  11: { exponent: 5, mantissa: 6, sign: 0 },
  16: { exponent: 5, mantissa: 10, sign: 1 },
  32: { exponent: 8, mantissa: 23, sign: 1 },
  64: { exponent: 11, mantissa: 52, sign: 1 },
};

/** Returns the bits of a component of the texel at an offset. */
export function bitsOf(bytes: Uint8Array, at: number, { firstBit, bits }: Component): bigint {
  let value = 0n;
  const last = (firstBit + bits - 1) >> 3;
  for (let byte = last; byte >= firstBit >> 3; byte--) value = value << 8n | BigInt(bytes[at + byte]);
  return value >> BigInt(firstBit & 7) & (1n << BigInt(bits)) - 1n;
}

/** Steps of depth in floats: those of 24 bits, which are the same everywhere between 0 and 1. */
const DEPTH_STEPS = 2 ** 24;

/**
 * Returns how many representable numbers lie between two values of a component;
 * for depth in floats, how many 24-bit steps. Two NaNs are equal.
 */
export function stepsBetween(one: bigint, other: bigint, component: Component): number {
  if (component.name === "D" && component.numericFormat === "SFLOAT") {
    const apart = Math.abs(numberOf(one, component) - numberOf(other, component)) * DEPTH_STEPS;
    return Number.isNaN(apart) ? ulpsBetween(one, other, component) : Math.ceil(apart);
  }
  return ulpsBetween(one, other, component);
}

function ulpsBetween(one: bigint, other: bigint, component: Component): number {
  const difference = ordered(one, component) - ordered(other, component);
  return Number(difference < 0n ? -difference : difference);
}

/** Returns the number that bits mean: floats as they are, the rest as the whole number that is stored. */
export function numberOf(value: bigint, { bits, numericFormat }: Component): number {
  const float = numericFormat.endsWith("FLOAT") ? FLOATS[bits] : undefined;
  if (!float) return Number(isSigned(numericFormat) ? BigInt.asIntN(bits, value) : value);
  const { exponent, mantissa, sign } = float, most = 2 ** exponent - 1, bias = most >> 1;
  const fraction = Number(value & (1n << BigInt(mantissa)) - 1n), power = Number(value >> BigInt(mantissa)) & most;
  const factor = sign && value >> BigInt(bits - 1) ? -1 : 1;
  if (power === most) return fraction === 0 ? factor * Infinity : NaN;
  return factor * (power === 0 ? fraction : fraction + 2 ** mantissa) * 2 ** (Math.max(power, 1) - bias - mantissa);
}

/** Maps values so that neighbours differ by one: signed zeros become equal, and all NaNs one. */
function ordered(value: bigint, component: Component): bigint {
  const { bits, numericFormat } = component, float = numericFormat.endsWith("FLOAT") ? FLOATS[bits] : undefined;
  if (!float) return isSigned(numericFormat) ? atLeast(BigInt.asIntN(bits, value), component) : value;
  if (Number.isNaN(numberOf(value, component))) return 1n << BigInt(bits);
  const top = 1n << BigInt(bits - 1);
  return float.sign && (value & top) !== 0n ? -(value ^ top) : value;
}

/** The lowest two signed normalised numbers mean the same. */
function atLeast(value: bigint, { bits, numericFormat }: Component): bigint {
  const least = -(1n << BigInt(bits - 1)) + 1n;
  return numericFormat === "SNORM" && value < least ? least : value;
}

function isSigned(numericFormat: string): boolean {
  return numericFormat.startsWith("S") && !numericFormat.endsWith("FLOAT") && numericFormat !== "SRGB";
}
