import type { Field, Kind } from "../layout/layout.ts";
import { memory } from "./memory.ts";
import {
  toAddress,
  toBool,
  toFloat,
  toHandle,
  toI32,
  toI64,
  toSigned,
  toSize,
  toU32,
  toU64,
  toUnsigned,
} from "./convert.ts";

/** Writes one value at an arena offset. Throws TROUBLE if it does not fit. */
export type Put = (value: unknown, at: number) => void;
/** Reads one value at an arena offset. */
export type Get = (at: number) => unknown;

/**
 * Returns the writer of one scalar; of a handle, of this type. `undefined` is
 * not a value: callers write zeros for an absent member.
 */
export function scalarPut(kind: Kind, type = ""): Put {
  const { view, putSize } = memory();
  switch (kind) {
    case "u8":
      return (value, at) => view.setUint8(at, toUnsigned(value, 8));
    case "i8":
      return (value, at) => view.setInt8(at, toSigned(value, 8));
    case "u16":
      return (value, at) => view.setUint16(at, toUnsigned(value, 16), true);
    case "i16":
      return (value, at) => view.setInt16(at, toSigned(value, 16), true);
    case "u32":
      return (value, at) => view.setInt32(at, toU32(value), true);
    case "i32":
      return (value, at) => view.setInt32(at, toI32(value), true);
    case "bool":
      return (value, at) => view.setInt32(at, toBool(value), true);
    case "f32":
      return (value, at) => view.setFloat32(at, toFloat(value), true);
    case "f64":
      return (value, at) => view.setFloat64(at, toFloat(value), true);
    case "usize":
      return (value, at) => putSize(at, toSize(value));
    case "h":
      return (value, at) => view.setBigUint64(at, toHandle(value, type), true);
    case "p":
      return (value, at) => view.setBigUint64(at, toAddress(value), true);
    case "i64":
      return (value, at) => view.setBigInt64(at, toI64(value), true);
    default:
      return (value, at) => view.setBigUint64(at, toU64(value), true);
  }
}

/** Returns the reader of one scalar. */
export function scalarGet(kind: Kind): Get {
  const { view, getSize, getU64 } = memory();
  switch (kind) {
    case "u8":
      return (at) => view.getUint8(at);
    case "i8":
      return (at) => view.getInt8(at);
    case "u16":
      return (at) => view.getUint16(at, true);
    case "i16":
      return (at) => view.getInt16(at, true);
    case "u32":
      return (at) => view.getUint32(at, true);
    case "i32":
      return (at) => view.getInt32(at, true);
    case "bool":
      return (at) => view.getInt32(at, true) !== 0;
    case "f32":
      return (at) => view.getFloat32(at, true);
    case "f64":
      return (at) => view.getFloat64(at, true);
    case "usize":
      return getSize;
    case "i64":
      return (at) => view.getBigInt64(at, true);
    default:
      return getU64;
  }
}

/**
 * Returns the writer of a bit-field. The first field of a unit sets the whole
 * unit, so that no earlier contents survive.
 */
export function bitsPut({ bits, bit, unit }: Field): Put {
  const { view } = memory();
  const keep = ~maskOf(bits, bit), write = unitSetter(unit), read = unitGetter(unit);
  return (value, at) => {
    const shifted = toUnsigned(value, bits) << bit;
    write(at, bit === 0 ? shifted : read(at) & keep | shifted);
  };
  function unitSetter(size: number): (at: number, value: number) => void {
    if (size === 1) return (at, value) => view.setUint8(at, value);
    return size === 2 ? (at, value) => view.setUint16(at, value, true) : (at, value) => view.setInt32(at, value, true);
  }
  function unitGetter(size: number): (at: number) => number {
    if (size === 1) return (at) => view.getUint8(at);
    return size === 2 ? (at) => view.getUint16(at, true) : (at) => view.getInt32(at, true);
  }
}

/** Returns the reader of a bit-field. */
export function bitsGet({ bits, bit, unit }: Field): Get {
  const { view } = memory();
  const mask = maskOf(bits, 0);
  if (unit === 1) return (at) => (view.getUint8(at) >>> bit & mask) >>> 0;
  if (unit === 2) return (at) => (view.getUint16(at, true) >>> bit & mask) >>> 0;
  return (at) => (view.getUint32(at, true) >>> bit & mask) >>> 0;
}

function maskOf(bits: number, bit: number): number {
  return (bits === 32 ? -1 : 2 ** bits - 1) << bit;
}
