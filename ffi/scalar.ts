/**
 * Numbers and addresses on the way from a script into native memory: the conversion of each kind, and the words for a
 * value that does not fit.
 *
 * @module
 */

/** A kind of number, or a handle (`h`) or an address (`p`) of 64 bits. */
export type ScalarKind =
  | "u8"
  | "i8"
  | "u16"
  | "i16"
  | "u32"
  | "i32"
  | "u64"
  | "i64"
  | "usize"
  | "f32"
  | "f64"
  | "bool"
  | "h"
  | "p";

/**
 * Thrown by the encoders if a value does not fit. It has no message: the
 * outermost encoder catches it and has the object explained, so that the fast
 * path does not pay for the words.
 */
export const TROUBLE: unique symbol = Symbol("value does not fit");

/** Gives up on a value. The outermost encoder finds the words. */
export function trouble(): never {
  throw TROUBLE;
}

/** A `uint32_t` or flags value as its bits: an integer from -2^31 (a negative result of `|`) to 2^32 - 1. */
export function toU32(value: unknown): number {
  if (!isInteger(value, -0x8000_0000, 0xffff_ffff)) trouble();
  return value | 0;
}

/** A signed 32-bit integer. */
export function toI32(value: unknown): number {
  return isInteger(value, -0x8000_0000, 0x7fff_ffff) ? value : trouble();
}

/** An unsigned integer of 8 or 16 bits, or of a bit-field's width. */
export function toUnsigned(value: unknown, bits: number): number {
  return isInteger(value, 0, 2 ** bits - 1) ? value : trouble();
}

/** A signed integer of 8 or 16 bits. */
export function toSigned(value: unknown, bits: number): number {
  return isInteger(value, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1) ? value : trouble();
}

/** A `VkBool32`: true, false, 1 or 0. */
export function toBool(value: unknown): number {
  if (value === true || value === 1) return 1;
  return value === false || value === 0 ? 0 : trouble();
}

/** A floating point number. */
export function toFloat(value: unknown): number {
  return typeof value === "number" ? value : trouble();
}

const LEAST_64 = -(1n << 63n), MOST_I64 = (1n << 63n) - 1n, MOST_U64 = (1n << 64n) - 1n;

/** A `uint64_t` or flags value as its bits: from -2^63 (`~0n` sets every bit) to 2^64 - 1. */
export function toU64(value: unknown): bigint {
  return typeof value === "bigint" && value >= LEAST_64 && value <= MOST_U64 ? value : trouble();
}

/** A signed 64-bit integer. */
export function toI64(value: unknown): bigint {
  return typeof value === "bigint" && value >= LEAST_64 && value <= MOST_I64 ? value : trouble();
}

/** A `size_t` as a number: a number or bigint from 0 to 2^53 - 1. */
export function toSize(value: unknown): number {
  const size = typeof value === "bigint" ? Number(value) : value;
  return isInteger(size, 0, Number.MAX_SAFE_INTEGER) ? size : trouble();
}

/** Whether a value is a whole number from `low` to `high`. */
export function isInteger(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}

/**
 * Converts a value to a kind, by the rules of struct members: whole numbers in
 * range, flags as their bits, 64-bit values as bigints. `undefined` and `null`
 * count as 0, and a boolean as 0 or 1.
 */
export function toScalar(
  kind: ScalarKind | (string & Record<never, never>),
  value: unknown,
  label: string,
): number | bigint {
  const { zero, convert } = RULES[kind] ?? RULES.u64;
  if (value === undefined || value === null) return zero;
  try {
    return convert(typeof value === "boolean" && typeof zero === "number" ? Number(value) : value);
  } catch {
    throw new TypeError(`${label}: expected ${expectedScalar(kind)}, found ${describe(value)}${hint(kind, value)}`);
  }
}

/** The conversion of a kind, and its value when it is left out. */
interface Rule {
  readonly zero: number | bigint;
  readonly convert: (value: unknown) => number | bigint;
}

const RULES: Readonly<Record<string, Rule>> = {
  u8: { zero: 0, convert: (value) => toUnsigned(value, 8) },
  i8: { zero: 0, convert: (value) => toSigned(value, 8) },
  u16: { zero: 0, convert: (value) => toUnsigned(value, 16) },
  i16: { zero: 0, convert: (value) => toSigned(value, 16) },
  u32: { zero: 0, convert: (value) => toU32(value) >>> 0 },
  i32: { zero: 0, convert: toI32 },
  bool: { zero: 0, convert: toBool },
  f32: { zero: 0, convert: toFloat },
  f64: { zero: 0, convert: toFloat },
  usize: { zero: 0n, convert: (value) => BigInt(toSize(value)) },
  u64: { zero: 0n, convert: (value) => BigInt.asUintN(64, toU64(value)) },
  i64: { zero: 0n, convert: toI64 },
};

/** Throws because a required pointer is missing. */
export function missing(label: string): never {
  throw new TypeError(`${label}: is required, found nothing`);
}

/** Throws if an array has an empty element. */
export function noHole(value: unknown, index: number, label: string): void {
  if (value === undefined) throw new TypeError(`${label}[${index}]: expected an element, found undefined`);
}

/** The key under which objects store whether their owner is closed. Methods that were stored elsewhere look there. */
export const IS_CLOSED: unique symbol = Symbol("closed");

/** A value that may be an object of this library. */
interface Handled {
  readonly handle?: unknown;
  readonly type?: unknown;
  readonly [IS_CLOSED]?: boolean;
}

/** Whether the owner of an object of this library is closed. */
export function isClosed(value: object): boolean {
  return (value as Handled)[IS_CLOSED] === true;
}

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

const EXPECTED: Readonly<Record<string, string>> = {
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

/** Describes what a scalar of a kind should be. */
export function expectedScalar(kind: string): string {
  return EXPECTED[kind] ?? kind;
}

/** Suggests how to write what was probably meant; empty if that is unknown. */
export function hint(kind: string, value: unknown): string {
  const big = kind === "u64" || kind === "i64" || kind === "h" || kind === "p";
  if (big && typeof value === "number" && Number.isInteger(value)) return ` (write ${value}n)`;
  if ((kind === "u64" || kind === "h") && typeof value === "bigint") return " (64 bits hold 0 to 2^64 - 1)";
  if (kind === "i64" && typeof value === "bigint") return " (64 bits hold -2^63 to 2^63 - 1)";
  return !big && kind !== "bool" && typeof value === "bigint" ? ` (write ${value})` : "";
}
