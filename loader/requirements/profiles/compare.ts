/** A numeric property of a device or a profile. */
type Numeric = number | bigint;

/** How far a quotient of float limits may differ from a whole number. */
const TOLERANCE = 1e-6;

/**
 * Whether a device's value is at least as good as a profile's, compared as the
 * registry says for the property. Without any of the known words, both must be
 * equal. In arrays each element counts, in a range both ends.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isAsGood(8192, 4096, ["max"]), true);
 * assertEquals(isAsGood(0.125, 0.5, ["min", "mul"]), true);
 * assertEquals(isAsGood([1, 64], [1, 511], ["range"]), false);
 * ```
 */
export function isAsGood(found: unknown, wanted: unknown, how: readonly string[]): boolean {
  if (Array.isArray(wanted)) return areAsGood(found, wanted, how);
  if (typeof wanted === "boolean") return isTruthAsGood(found === true || found === 1, wanted, how);
  if (typeof wanted === "string") return found === wanted;
  if (!isNumeric(found) || !isNumeric(wanted)) return false;
  return how.length === 0 ? equal(found, wanted) : how.every((word) => holds(word, found, wanted));
}

function areAsGood(found: unknown, wanted: readonly unknown[], how: readonly string[]): boolean {
  const values = ArrayBuffer.isView(found) ? [...found as Uint8Array] : found;
  if (!Array.isArray(values) || values.length < wanted.length) return false;
  if (how.includes("range")) return isAsGood(values[0], wanted[0], ["min"]) && isAsGood(values[1], wanted[1], ["max"]);
  return wanted.every((each, index) => isAsGood(values[index], each, how));
}

/** For a boolean that is better when true, true is good enough where false was requested. */
function isTruthAsGood(found: boolean, wanted: boolean, how: readonly string[]): boolean {
  return found === wanted || (found && ["max", "true", "bitmask"].some((word) => how.includes(word)));
}

function holds(word: string, found: Numeric, wanted: Numeric): boolean {
  switch (word) {
    case "max":
    case "bits":
      return found >= wanted;
    case "min":
      return found <= wanted;
    case "bitmask":
      return (BigInt(found) & BigInt(wanted)) === BigInt(wanted);
    case "pot":
      return Number(found) > 0 && Number.isInteger(Math.log2(Number(found)));
    case "mul":
      return isMultiple(Number(wanted), Number(found));
    default:
      return equal(found, wanted);
  }
}

/** A multiple of a coarse step is a multiple of each finer step that divides it. */
function isMultiple(value: number, step: number): boolean {
  if (step === 0) return true; // no step: any value is valid
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < TOLERANCE;
}

/** Compares floats with 32 bits. */
function equal(found: Numeric, wanted: Numeric): boolean {
  return found == wanted || Math.fround(Number(found)) === Math.fround(Number(wanted)) && !Number.isInteger(wanted);
}

function isNumeric(value: unknown): value is Numeric {
  return typeof value === "number" || typeof value === "bigint";
}
