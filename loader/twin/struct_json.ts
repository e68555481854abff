import type { StructObject } from "../codec/codec.ts";
import { type Field, layoutOf } from "../codec/layout/layout.ts";
import { enumValue } from "../requirements/profiles/registry_names.ts";

/**
 * Returns a struct from JSON: vkjson's numbers and `"0x…"`, a profile's names of
 * enumerants and lists of bits, a report's texts. Members that the struct lacks,
 * and values that do not fit, are told to `unread`.
 *
 * @example
 * ```ts
 * import { VK_MEMORY_HEAP_DEVICE_LOCAL_BIT as LOCAL } from "../gen/enums_core_gen.js";
 * import { assertEquals } from "@std/assert";
 *
 * const unread: string[] = [];
 * const heap = structFromJson("VkMemoryHeap", { size: "0x40000000", flags: LOCAL, colour: 3 }, (name) => unread.push(name));
 * assertEquals([heap, unread], [{ size: 1n << 30n, flags: LOCAL }, ["VkMemoryHeap.colour"]]);
 * ```
 */
export function structFromJson(struct: string, json: object, unread: (member: string) => void): StructObject {
  const fields = new Map(layoutOf(struct).fields.map((field) => [field.name, field])), values: StructObject = {};
  for (const [name, given] of Object.entries(json)) {
    const field = fields.get(name), value = field && memberFrom(field, given, unread);
    if (value === undefined) unread(`${struct}.${name}`);
    else values[name] = value;
  }
  return values;
}

function memberFrom(field: Field, given: unknown, unread: (member: string) => void): unknown {
  // deno-lint-ignore no-control-regex -- a NUL ends the name, and others change a terminal
  if (field.kind === "str") return typeof given === "string" && !/[\x00-\x1f\x7f]/.test(given) ? given : undefined;
  if (field.dims.length > 0 || field.stars > 0) return arrayFrom(field, given, unread);
  return elementFrom(field, given, unread);
}

/** Reports write arrays as text, too. */
function arrayFrom(field: Field, given: unknown, unread: (member: string) => void): unknown {
  const list = typeof given === "string" ? given.match(/[\w.+-]+/g) : given;
  if (!Array.isArray(list)) return undefined;
  if (field.kind === "p" || field.kind === "void" || field.kind === "chain") return undefined;
  const [length] = field.dims; // lists of structs have a count beside them, and may be shorter
  if (length !== undefined && (list.length > length || list.length < length && field.kind !== "struct")) {
    return undefined;
  }
  const values = list.map((each) => Array.isArray(each) ? each.map(Number) : elementFrom(field, each, unread));
  return values.includes(undefined) ? undefined : values;
}

function elementFrom(field: Field, given: unknown, unread: (member: string) => void): unknown {
  const { kind, type } = field;
  if (kind === "struct") {
    return typeof given === "object" && given !== null ? structFromJson(type, given, unread) : undefined;
  }
  if (kind === "bool") return truthOf(given);
  const number = numberFrom(type, given);
  if (number === undefined) return undefined;
  if (kind === "f32" || kind === "f64") return Number(number);
  const [, signed, bits] = /^(u|i)(8|16|32|64)$/.exec(kind) ?? (kind === "usize" ? ["", "u", "64"] : []);
  const integer = bits === undefined ? undefined : integerIn(number, Number(bits), signed === "i");
  return integer === undefined || bits === "64" ? integer : Number(integer);
}

function truthOf(given: unknown): boolean | undefined {
  if (typeof given === "boolean") return given;
  if (given === 0 || given === 1) return given === 1;
  return given === "true" || given === "1" ? true : given === "false" || given === "0" ? false : undefined;
}

function numberFrom(type: string, given: unknown): number | bigint | undefined {
  if (typeof given === "number" || typeof given === "bigint") return given;
  if (typeof given === "boolean") return Number(given);
  if (typeof given === "string" && /^\s*-?(0x[\da-f]+|\d+)\s*$/i.test(given)) return integerOf(given.trim());
  if (typeof given === "string" && given.trim() !== "" && Number.isFinite(Number(given))) return Number(given);
  if (!type.startsWith("Vk") || typeof given !== "string" && !Array.isArray(given)) return undefined;
  try {
    const value = enumValue(type, given);
    return typeof value === "bigint" || typeof value === "number" ? value : Array.isArray(value) ? 0 : undefined;
  } catch {
    return undefined; // a name that the registry lacks
  }
}

function integerOf(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

/** A maximum that a report has rounded to six digits is larger than the type's by less than this part. */
const ROUNDED = 1_000_010n, MILLION = 1_000_000n;

/**
 * Returns a number as an integer of some bits; `undefined` for one that does not fit. Reports write large numbers as
 * signed or as rounded ones.
 */
function integerIn(value: number | bigint, bits: number, signed: boolean): bigint | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const integer = typeof value === "bigint" ? value : BigInt(Math.trunc(value)), most = (1n << BigInt(bits)) - 1n;
  if (integer < -(1n << BigInt(bits - 1)) || integer * MILLION > most * ROUNDED) return undefined;
  const fitting = integer > most ? most : integer;
  return signed ? BigInt.asIntN(bits, fitting) : BigInt.asUintN(bits, fitting);
}
