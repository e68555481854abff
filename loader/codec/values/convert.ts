import { isClosed, isInteger, trouble } from "../../../ffi/scalar.ts";

/** The numbers among the values are converted downstairs; encoders take all conversions from one module. */
export {
  toBool,
  toFloat,
  toI32,
  toI64,
  toSigned,
  toSize,
  toU32,
  toU64,
  toUnsigned,
  TROUBLE,
  trouble,
} from "../../../ffi/scalar.ts";

/** A struct as a script sees it: values by C member names. */
export type StructObject = Record<string, unknown>;

/**
 * Converts a handle of a type: a bigint, an open object of the type with a
 * `handle`, or null. `undefined` stands for an empty element of an array.
 */
export function toHandle(value: unknown, type: string): bigint {
  if (typeof value === "bigint") return BigInt.asUintN(64, value) === value ? value : trouble();
  if (value === null) return 0n;
  if (typeof value !== "object" || !isOfType(value, type) || isClosed(value)) trouble();
  const { handle } = value as { readonly handle?: unknown };
  return typeof handle === "bigint" ? handle : trouble();
}

/** Whether an object may be a handle of a type. An object that a script made has no type. */
export function isOfType(value: object, type: string): boolean {
  const own = (value as { readonly type?: unknown }).type;
  return own === type || typeof own !== "string" || !own.startsWith("Vk");
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
