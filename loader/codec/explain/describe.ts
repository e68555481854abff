import type { Kind } from "../layout/tables.ts";
import { isClosed } from "../values/convert.ts";

/** Describes a value for an error message: the type and, if it is short, the value. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "bigint") return `bigint ${value}n`;
  if (typeof value === "string") {
    return `string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  }
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object") return describeObject(value);
  return typeof value === "function" ? "function" : `${typeof value} ${String(value)}`;
}

function describeObject(value: object): string {
  const { handle, type } = value as { handle?: unknown; type?: unknown };
  if (typeof handle === "bigint" && typeof type === "string") return isClosed(value) ? `closed ${type}` : type;
  const kind = value.constructor?.name;
  if (kind !== undefined && kind !== "Object") return kind;
  const keys = Object.keys(value);
  return keys.length === 0 ? "object {}" : `object { ${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""} }`;
}

const EXPECTED: Partial<Record<Kind, string>> = {
  u8: "integer from 0 to 255",
  i8: "integer from -128 to 127",
  u16: "integer from 0 to 65535",
  i16: "integer from -32768 to 32767",
  u32: "integer from 0 to 4294967295",
  i32: "integer from -2147483648 to 2147483647",
  u64: "bigint",
  i64: "bigint",
  usize: "size (whole number or bigint)",
  f32: "number",
  f64: "number",
  bool: "boolean",
  h: "handle (bigint, object with a handle, or null)",
  p: "address (bigint or null)",
};

/** Describes what a scalar of a kind should be, in place of the value; of a handle, of this type. */
export function expected(kind: Kind, type = "", value: unknown = undefined): string {
  const isOther = kind === "h" && typeof value === "object" && value !== null && "handle" in value;
  return isOther ? `an open ${type}` : EXPECTED[kind] ?? kind;
}

/** Suggests how to write what was probably meant; empty if that is unknown. */
export function hint(kind: Kind, value: unknown): string {
  const big = kind === "u64" || kind === "i64" || kind === "h" || kind === "p";
  if (big && typeof value === "number" && Number.isInteger(value)) return ` (write ${value}n)`;
  if ((kind === "u64" || kind === "h") && typeof value === "bigint") return " (64 bits hold 0 to 2^64 - 1)";
  if (kind === "i64" && typeof value === "bigint") return " (64 bits hold -2^63 to 2^63 - 1)";
  return !big && kind !== "bool" && typeof value === "bigint" ? ` (write ${value})` : "";
}

/** Returns the first problem among the items; `undefined` if there is none. */
export function first<T>(items: Iterable<T>, problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
}
