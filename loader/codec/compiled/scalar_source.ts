import type { Kind } from "../layout/layout.ts";

/** The stored form of a value. */
interface Stored {
  /** The kind. */
  readonly kind: Kind;
  /** The name of the type. */
  readonly type: string;
}

/**
 * Returns the source of a statement that stores the defined value `v` at place
 * `at`. `type` is the type of a handle. The common case is tested inline;
 * converters handle the rest.
 */
export function storeSource({ kind, type }: Stored, at: string, v: string): string {
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
      return `view.setBigUint64(${at}, ${unsigned(v)} ? ${v} : toHandle(${v}, "${type}"), true);`;
    case "p":
      return `view.setBigUint64(${at}, typeof ${v} === "bigint" ? ${v} : toAddress(${v}), true);`;
    default:
      return `view.setBigUint64(${at}, ${narrow(v)} ? ${v} : ${kind === "i64" ? "toI64" : "toU64"}(${v}), true);`;
  }
}

/**
 * Returns the source of the test whether a bigint fits in 64 signed bits, as
 * nearly all do. It is faster than any other comparison of bigints.
 */
function narrow(v: string): string {
  return `typeof ${v} === "bigint" && BigInt.asIntN(64, ${v}) === ${v}`;
}

/** Returns the source of the test whether a bigint fits in 64 unsigned bits, as handles do. */
function unsigned(v: string): string {
  return `typeof ${v} === "bigint" && BigInt.asUintN(64, ${v}) === ${v}`;
}

/**
 * A store in pieces, with one call for absent and present values. The code is
 * shorter than {@linkcode storeSource}, but slower outside of an inlined
 * encoder.
 */
export interface CompactStore {
  /** Source of the value of an absent member. */
  readonly zero: string;
  /** Source of a statement that tests `v`, and converts it if that may help. */
  readonly check: string;
  /** The method of the view. */
  readonly set: string;
}

/** Returns the compact store of kinds that are common in small structs. */
export function compactStore({ kind, type }: Stored): CompactStore | undefined {
  switch (kind) {
    case "u32":
      return { zero: "0", check: "if (v !== (v | 0)) v = toU32(v);", set: "setInt32" };
    case "i32":
      return { zero: "0", check: "if (v !== (v | 0)) trouble();", set: "setInt32" };
    case "u64":
      return { zero: "0n", check: `if (!(${narrow("v")})) v = toU64(v);`, set: "setBigUint64" };
    case "h":
      return { zero: "0n", check: `if (!(${unsigned("v")})) v = toHandle(v, "${type}");`, set: "setBigUint64" };
  }
}

/** Returns the source of an expression that reads a scalar at place `at`. */
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
      return `getU64(${at})`;
  }
}

/** Returns source that fills a scalar's place with zeros. */
export function zeroSource(size: number, at: string): string {
  if (size === 8) return `view.setFloat64(${at}, 0);`;
  return size === 1 ? `view.setInt8(${at}, 0);` : `view.setInt${size * 8}(${at}, 0, true);`;
}
