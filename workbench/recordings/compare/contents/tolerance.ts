import { type Component, type Format, formatOf } from "../../../../loader/texels/format.ts";
import { numberAt, stepsBetween } from "../../../../loader/texels/number.ts";
import { type PermittedDifference, unitOf } from "../tolerances/permitted_difference.ts";

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

/**
 * A measure of the distance between two contents at an offset beyond the drivers' permitted difference: 0 if they mean the same, and
 * steps otherwise.
 */
export type Rule = (one: Uint8Array, other: Uint8Array, at: number) => number;

/** Returns the rule for components that may differ by so many steps; by their own tolerance if none are given. */
export function stepRule({ blockSize, blockExtent, components }: Format, steps?: number): Rule {
  if (blockExtent.some((length) => length > 1)) return (one, other, at) => isEqual(one, other, at, blockSize) ? 0 : 1;
  return (one, other, at) => {
    let most = 0;
    for (const component of components) {
      const apart = stepsBetween(one, other, at, component);
      if (apart > (steps ?? defaultSteps(component))) most = Math.max(most, apart);
    }
    return most;
  };
}

/** Returns the rule for texels that were only copied: their bytes are the same. */
export function exactRule(format: Format): Rule {
  const apart = stepRule(format, 0);
  return (one, other, at) => isEqual(one, other, at, format.blockSize) ? 0 : Math.max(1, apart(one, other, at));
}

/** Returns the rule of a permitted difference, for so many bytes. */
export function ruleOf(permitted: PermittedDifference, size: number, steps: FormatTolerance): Rule {
  if (permitted.is === "undefined") return () => 0;
  const rule = permitted.is === "count" ? countRule(permitted.size) : texelRule(permitted, steps),
    unit = unitOf(permitted);
  return (one, other, at) => {
    let most = 0;
    for (let part = 0; part + unit <= size; part += unit) most = Math.max(most, rule(one, other, at + part));
    return most;
  };
}

function texelRule(
  { format, aspect, exact }: Extract<PermittedDifference, { is: "texels" }>,
  steps: FormatTolerance,
): Rule {
  return stepRule(formatOf(format, aspect), exact ? 0 : steps[format]);
}

/** Counts that nobody asked to be precise are above zero on both sides, or zero. */
function countRule(size: number): Rule {
  const component = { name: "R", bits: size * 8, numericFormat: "UINT", firstBit: 0 } as const;
  return (one, other, at) => {
    const [left, right] = [one, other].map((bytes) => numberAt(bytes, at, component));
    return left > 0 === right > 0 ? 0 : Math.abs(left - right);
  };
}

/** Whether so many bytes are the same. */
export function isEqual(one: Uint8Array, other: Uint8Array, at: number, size: number): boolean {
  for (let byte = at; byte < at + size; byte++) if (one[byte] !== other[byte]) return false;
  return true;
}
