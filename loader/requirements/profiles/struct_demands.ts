import { layoutOf } from "../../codec/layout/layout.ts";
import type { DeviceFacts } from "../facts.ts";
import { enumValue, shownValue, structName } from "./registry_names.ts";
import type { Demand } from "./report.ts";
import type { Json } from "./profile.ts";
import { LIMIT_TYPES } from "../gen/limit_types_gen.js";

/** A numeric property of a device or a profile. */
type Numeric = number | bigint;

/** The most that a quotient of float limits may differ from a whole number. */
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

const known = new Map<string, ReadonlyMap<string, readonly string[]>>();

/**
 * Returns the comparison for a member of a properties struct: words such as
 * `max`, `min`, `mul`, `pot`, `bits`, `bitmask`, `range` and `true`; none if
 * the values must be equal.
 */
export function limitTypeOf(struct: string, member: string): readonly string[] {
  let members = known.get(struct);
  if (!members) known.set(struct, members = parse(struct));
  return members.get(member) ?? [];
}

function parse(struct: string): Map<string, readonly string[]> {
  const start = LIMIT_TYPES.indexOf(` ${struct} `);
  if (start < 0) return new Map();
  const [, , ...kinds] = LIMIT_TYPES.slice(start, LIMIT_TYPES.indexOf("\n", start)).split(" ");
  return new Map(kinds.flatMap((kind) => {
    const [how, names] = kind.split(":"), words = how.split("+");
    return names.split(",").map((name) => [name, words] as const);
  }));
}

/**
 * Returns what a capability demands of features. A demand for false is ignored,
 * unless the capability is one of several alternatives, where it makes the
 * difference.
 */
export function featureDemands(
  structs: Readonly<Record<string, Json>>,
  device: DeviceFacts,
  isChoice: boolean,
): Demand[] {
  return Object.entries(structs).flatMap(([given, members]) => {
    const struct = existing(given), { values, found } = inside(members, device.struct(struct), "features");
    return Object.entries(values).filter(([, wanted]) => wanted === true || isChoice).map(([name, wanted]): Demand => {
      checkMember(struct.replace(/2$/, ""), name);
      const value = found?.[name];
      return {
        kind: "feature",
        name: `${given}.${name}`,
        met: value === wanted,
        wanted: String(wanted),
        found: value === undefined ? "no way to ask" : String(value),
      };
    });
  });
}

/** Returns what a capability demands of properties. */
export function propertyDemands(structs: Readonly<Record<string, Json>>, device: DeviceFacts): Demand[] {
  return Object.entries(structs).flatMap(([given, members]) => {
    const struct = existing(given), { values, found } = inside(members, device.struct(struct), "properties");
    return memberDemands(struct.replace(/2$/, ""), given, values, found);
  });
}

/** Returns what a capability demands of queue families: for each entry, one family must meet all of it. */
export function queueFamilyDemands(wanted: readonly Record<string, Json>[], device: DeviceFacts): Demand[] {
  return wanted.map((entry, index): Demand => {
    const values = entry.VkQueueFamilyProperties ??
      inside(entry.VkQueueFamilyProperties2 ?? {}, {}, "queueFamilyProperties").values;
    const tried = device.queueFamilies.map((each) => memberDemands("VkQueueFamilyProperties", "", values, each));
    return {
      kind: "queue family",
      name: `queueFamiliesProperties[${index}]`,
      met: tried.some((demands) => demands.every(({ met }) => met)),
      wanted: JSON.stringify(values),
      found: `${tried.length} families, none of which has all of it`,
    };
  });
}

/** A struct whose name ends in 2 contains the struct of the first version. */
function inside(members: Json, found: Json | undefined, key: string): { values: Json; found: Json | undefined } {
  if (!(key in members)) return { values: members, found };
  return { values: members[key] as Json, found: found?.[key] as Json | undefined };
}

function memberDemands(
  struct: string,
  path: string,
  values: Json,
  found: Json | undefined,
  inherited: readonly string[] = [],
): Demand[] {
  return Object.entries(values).flatMap(([name, wanted]) => {
    const { type, kind } = checkMember(struct, name), how = [...limitTypeOf(struct, name), ...inherited];
    const value = found?.[name], place = `${path}.${name}`;
    if (kind === "struct") return memberDemands(type, place, wanted as Json, value as Json | undefined, how);
    const number = enumValue(type, wanted);
    return [{
      kind: "property",
      name: place,
      met: isAsGood(value, number, how.length === 0 && Array.isArray(wanted) && number !== wanted ? ["bitmask"] : how),
      wanted: `${typeof wanted === "boolean" ? "" : words(how)}${shownValue(type, number)}`,
      found: value === undefined ? "no way to ask" : shownValue(type, value),
    }];
  });
}

/** Describes a comparison, where a number alone would not be clear. */
function words(how: readonly string[]): string {
  if (how.includes("max") || how.includes("bits")) return "at least ";
  return how.includes("min") ? "at most " : "";
}

function existing(given: string): string {
  const name = structName(given);
  if (name !== undefined) return name;
  throw new TypeError(`Cannot compare with a profile: the registry has no struct ${given}; check its spelling`);
}

function checkMember(struct: string, name: string): ReturnType<typeof layoutOf>["fields"][number] {
  const found = layoutOf(struct).fields.find((field) => field.name === name);
  if (found) return found;
  throw new TypeError(`Cannot compare with a profile: ${struct} has no member ${name}; check its spelling`);
}
