import type { Field } from "../layout/layout.ts";
import { memory } from "./memory.ts";
import type { Kind } from "../layout/tables.ts";
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

/** Writes one value at an arena offset; throws TROUBLE when it doesn't fit. */
export type Put = (value: unknown, at: number) => void;
/** Reads one value at an arena offset. */
export type Get = (at: number) => unknown;

/** The writer of one scalar. `undefined` is no value: callers write zeros for an absent member. */
export function scalarPut(kind: Kind): Put {
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
      return (value, at) => view.setBigUint64(at, toHandle(value), true);
    case "p":
      return (value, at) => view.setBigUint64(at, toAddress(value), true);
    case "i64":
      return (value, at) => view.setBigInt64(at, toI64(value), true);
    default:
      return (value, at) => view.setBigUint64(at, toU64(value), true);
  }
}

/** The reader of one scalar. */
export function scalarGet(kind: Kind): Get {
  const { view, getSize } = memory();
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
      return (at) => view.getBigUint64(at, true);
  }
}

/** Source of a statement that stores the defined value `v` at place `at`; the common case is tested inline, the rest goes to the converters. */
export function storeSource(kind: Kind, at: string, v: string): string {
  switch (kind) {
    case "u8":
      return `view.setUint8(${at}, ${v} === (${v} & 255) ? ${v} & 255 : toUnsigned(${v}, 8));`;
    case "i8":
      return `view.setInt8(${at}, toSigned(${v}, 8));`;
    case "u16":
      return `view.setUint16(${at}, ${v} === (${v} & 65535) ? ${v} & 65535 : toUnsigned(${v}, 16), true);`;
    case "i16":
      return `view.setInt16(${at}, toSigned(${v}, 16), true);`;
    case "u32":
      return `view.setInt32(${at}, ${v} === (${v} | 0) ? ${v} | 0 : toU32(${v}), true);`;
    case "i32":
      return `view.setInt32(${at}, ${v} === (${v} | 0) ? ${v} | 0 : trouble(), true);`;
    case "bool":
      return `view.setInt32(${at}, ${v} === true ? 1 : ${v} === false ? 0 : toBool(${v}), true);`;
    case "f32":
      return `view.setFloat32(${at}, typeof ${v} === "number" ? ${v} : trouble(), true);`;
    case "f64":
      return `view.setFloat64(${at}, typeof ${v} === "number" ? ${v} : trouble(), true);`;
    case "usize":
      return `putSize(${at}, toSize(${v}));`;
    case "h":
      return `view.setBigUint64(${at}, typeof ${v} === "bigint" ? ${v} : toHandle(${v}), true);`;
    case "p":
      return `view.setBigUint64(${at}, typeof ${v} === "bigint" ? ${v} : toAddress(${v}), true);`;
    default:
      return `view.setBigUint64(${at}, ${narrow(v)} ? ${v} : ${kind === "i64" ? "toI64" : "toU64"}(${v}), true);`;
  }
}

/** Source of the test for a bigint that fits in 64 signed bits, as nearly all do: cheaper than any other comparison of bigints. */
function narrow(v: string): string {
  return `typeof ${v} === "bigint" && BigInt.asIntN(64, ${v}) === ${v}`;
}

/** A store in pieces, with one call for absent and present values: shorter code than {@linkcode storeSource}, but a slower one outside of an inlined encoder. */
export interface CompactStore {
  /** Source of the value of an absent member. */
  readonly zero: string;
  /** Source of a statement that tests `v`, and converts it where that may help. */
  readonly check: string;
  /** The method of the view. */
  readonly set: string;
}

/** The compact store of the kinds that are common in small structs. */
export function compactStore(kind: Kind): CompactStore | undefined {
  switch (kind) {
    case "u32":
      return { zero: "0", check: "if (v !== (v | 0)) v = toU32(v);", set: "setInt32" };
    case "i32":
      return { zero: "0", check: "if (v !== (v | 0)) trouble();", set: "setInt32" };
    case "u64":
      return { zero: "0n", check: `if (!(${narrow("v")})) v = toU64(v);`, set: "setBigUint64" };
    case "h":
      return { zero: "0n", check: `if (typeof v !== "bigint") v = toHandle(v);`, set: "setBigUint64" };
  }
}

/** Source of an expression that reads a scalar at place `at`. */
export function loadSource(kind: Kind, at: string): string {
  switch (kind) {
    case "u8":
      return `view.getUint8(${at})`;
    case "i8":
      return `view.getInt8(${at})`;
    case "u16":
      return `view.getUint16(${at}, true)`;
    case "i16":
      return `view.getInt16(${at}, true)`;
    case "u32":
      return `view.getUint32(${at}, true)`;
    case "i32":
      return `view.getInt32(${at}, true)`;
    case "bool":
      return `view.getInt32(${at}, true) !== 0`;
    case "f32":
      return `view.getFloat32(${at}, true)`;
    case "f64":
      return `view.getFloat64(${at}, true)`;
    case "usize":
      return `getSize(${at})`;
    case "i64":
      return `view.getBigInt64(${at}, true)`;
    default:
      return `view.getBigUint64(${at}, true)`;
  }
}

/** Source that fills a scalar's place with zeros. */
export function zeroSource(size: number, at: string): string {
  if (size === 8) return `view.setFloat64(${at}, 0);`;
  return size === 1 ? `view.setInt8(${at}, 0);` : `view.setInt${size * 8}(${at}, 0, true);`;
}

/** The writer of a bit-field. The first field of a unit sets all of it, so that no earlier contents survive. */
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

/** The reader of a bit-field. */
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
