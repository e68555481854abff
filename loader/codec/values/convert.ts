/** A struct as a script sees it: values by C member names. */
export type StructObject = Record<string, unknown>;

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

/** The key under which objects store whether their owner is closed. Methods that were stored elsewhere look there. */
export const IS_CLOSED: unique symbol = Symbol("closed");

/** A value that may be an object of this library. */
interface Handled {
  readonly handle?: unknown;
  readonly type?: unknown;
  readonly [IS_CLOSED]?: boolean;
}

/**
 * Converts a handle of a type: a bigint, an open object of the type with a
 * `handle`, or null. `undefined` stands for an empty element of an array.
 */
export function toHandle(value: unknown, type: string): bigint {
  if (typeof value === "bigint") return BigInt.asUintN(64, value) === value ? value : trouble();
  if (value === null) return 0n;
  if (typeof value !== "object" || !isOfType(value, type) || isClosed(value)) trouble();
  const { handle } = value as Handled;
  return typeof handle === "bigint" ? handle : trouble();
}

/** Whether an object may be a handle of a type. An object that a script made has no type. */
export function isOfType(value: object, type: string): boolean {
  const own = (value as Handled).type;
  return own === type || typeof own !== "string" || !own.startsWith("Vk");
}

/** Whether the owner of an object of this library is closed. */
export function isClosed(value: object): boolean {
  return (value as Handled)[IS_CLOSED] === true;
}

/** An address: a bigint, or null. */
export function toAddress(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  return value === null ? 0n : trouble();
}

/** Returns the payload as bytes; `undefined` if it is not a view, buffer or array of small integers. */
export function toBytes(value: unknown, unit: number): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value);
  if (!Array.isArray(value)) return undefined;
  for (const item of value) if (!isInteger(item, 0, 2 ** (unit * 8) - 1)) return undefined; // every() skips holes
  return unit === 4 ? new Uint8Array(Uint32Array.from(value).buffer) : Uint8Array.from(value);
}

/** Returns the number of elements of an array value; `undefined` if it is absent, an address, or not an array. */
export function lengthOfValue(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { length } = value as { length?: unknown };
  return isInteger(length, 0, 0x7fff_ffff) ? length : undefined;
}

/** Returns the number of bytes of a payload value; `undefined` if it is absent or an address. */
export function byteLengthOfValue(value: unknown, unit: number): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value) ? value.length * unit : (value as { byteLength?: number }).byteLength;
}

function isInteger(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;
}
