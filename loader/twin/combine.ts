import type { StructObject } from "../codec/codec.ts";
import { type Field, layoutOf } from "../codec/layout/layout.ts";
import { type FormatFeatures, isFeatures } from "../layers/shipped/limits/settings.ts";
import { limitTypeOf } from "../requirements/profiles/struct_demands.ts";

/** The wanted part of two devices: that which both have, or which either has. */
export type Combination = "common" | "either";

/**
 * Combines a struct of features or properties of two devices. Limits are
 * combined as the registry compares them: of a maximum, the common value is the
 * smaller one. Of a value that is neither better nor worse, such as a name, the
 * result is that of the first device.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const [phone, tablet] = [{ maxImageDimension2D: 4096 }, { maxImageDimension2D: 8192 }];
 * assertEquals(combineStruct("VkPhysicalDeviceLimits", phone, tablet, "common"), phone);
 * assertEquals(combineStruct("VkPhysicalDeviceLimits", phone, tablet, "either"), tablet);
 * ```
 */
export function combineStruct(
  name: string,
  one: StructObject,
  other: StructObject,
  how: Combination,
  inherited: readonly string[] = [],
): StructObject {
  const result: StructObject = {};
  for (const field of layoutOf(name).fields) {
    const words = [...wordsOf(name, field), ...inherited], first = one[field.name], second = other[field.name];
    const value = first === undefined || second === undefined
      ? how === "common" && isOrdered(words, field) ? undefined : first ?? second
      : combineValue(field, first, second, how, words);
    if (value !== undefined) result[field.name] = value;
  }
  return result;
}

/** Whether one value of a member can be better than another. */
export function isOrdered(words: readonly string[], { kind }: Field): boolean {
  return kind !== "struct" && words.some((word) => ORDERED.has(word));
}

/** Returns how values of a member compare, in the words of the registry. Features are better when they are true. */
export function wordsOf(struct: string, { name, kind }: Field): readonly string[] {
  return isFeatures(struct) && kind === "bool" ? ["max"] : limitTypeOf(struct, name);
}

/** The words of the registry that order values; the rest, such as `exact` and `noauto`, do not. */
const ORDERED: ReadonlySet<string> = new Set(["max", "min", "bits", "bitmask", "range", "true"]);

function combineValue(field: Field, one: unknown, other: unknown, how: Combination, words: readonly string[]): unknown {
  if (field.kind === "struct" && field.dims.length === 0) {
    return combineStruct(field.type, one as StructObject, other as StructObject, how, words);
  }
  if (!isOrdered(words, field)) return one;
  if (!isList(one) || !isList(other)) return combineScalar(one, other, how, words);
  if (words.includes("range")) {
    return [combineScalar(one[0], other[0], how, ["min"]), combineScalar(one[1], other[1], how, ["max"])];
  }
  return Array.from(one, (each, index) => combineScalar(each, other[index], how, words));
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function combineScalar(one: unknown, other: unknown, how: Combination, words: readonly string[]): unknown {
  if (typeof one === "boolean") return how === "common" ? one && other === true : one || other === true;
  const [first, second] = [one, other] as [bigint, bigint]; // or two numbers: the operators are the same
  if (words.includes("bitmask")) return combineBits(first, second, how);
  const isLess = first < second, wantsLess = words.includes("min") !== (how === "common");
  return isLess === wantsLess ? first : second;
}

function combineBits(one: bigint | number, other: bigint | number, how: Combination): bigint | number {
  const [first, second] = [BigInt(one), BigInt(other)], bits = how === "common" ? first & second : first | second;
  return typeof one === "bigint" ? bits : Number(BigInt.asUintN(32, bits));
}

/** Combines the capabilities of a format of two devices. */
export function combineFormats(one: FormatFeatures, other: FormatFeatures, how: Combination): FormatFeatures {
  const bits = (name: keyof FormatFeatures) => BigInt(combineBits(one[name], other[name], how));
  return {
    linearTilingFeatures: bits("linearTilingFeatures"),
    optimalTilingFeatures: bits("optimalTilingFeatures"),
    bufferFeatures: bits("bufferFeatures"),
  };
}
