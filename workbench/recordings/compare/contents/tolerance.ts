import type { Component } from "../../../../loader/texels/format.ts";

/**
 * Steps by which the components of a format may differ, by VkFormat: the
 * representable numbers between two values, which are ULPs for floats.
 */
export type FormatTolerance = Readonly<Record<number, number>>;

/** Steps that rounding and filtering may cost, for normalised components up to 8 bits. */
const NORMALISED_STEPS = 1;
/** Normalised components with more bits may differ by 2 to the power of their bits less this. */
const NORMALISED_BITS = 10;
/**
 * Depth and floats: by the bits of the component. The specification leaves open
 * how exactly depth is interpolated; these are one step of the coarsest format.
 */
const DEPTH_STEPS: Readonly<Record<number, number>> = { 16: 2, 24: 512, 32: 512 };
const FLOAT_STEPS: Readonly<Record<number, number>> = { 10: 1, 11: 1, 16: 4, 32: 64, 64: 64 };

/** Returns the steps by which a component may differ by default: whole numbers not at all. */
export function defaultSteps({ name, bits, numericFormat }: Component): number {
  if (name === "D") return DEPTH_STEPS[bits] ?? 0;
  if (numericFormat.endsWith("FLOAT")) return FLOAT_STEPS[bits] ?? 0;
  if (!/NORM$|^SRGB$/.test(numericFormat)) return 0;
  return bits > NORMALISED_BITS ? 2 ** (bits - NORMALISED_BITS) : NORMALISED_STEPS;
}
