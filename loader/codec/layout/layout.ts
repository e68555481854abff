import { closest } from "../../../ffi/check_options.ts";
import type { ScalarKind } from "../../../ffi/scalar.ts";
import { ENUMS, FLAGS, FLAGS64, HANDLES, POINTERS, STRUCTS } from "../../gen/structs_gen.js";
import { parseSpec, type Spec, TableLines } from "./spec.ts";

/**
 * The kind of a type name in the tables: a scalar code, text, a handle, a
 * pointer-sized opaque, untyped memory or a nested struct.
 */
export type Kind = ScalarKind | "str" | "void" | "chain" | "struct";

const CODES = " u8 i8 u16 i16 u32 i32 u64 i64 usize f32 f64 bool str void p chain ";

const lines = new TableLines(STRUCTS);

/** Returns the table line of a struct or union; `undefined` if the registry lacks the name. */
export function findLine(name: string): string | undefined {
  return lines.find(name);
}

/**
 * Returns the name of the struct with this `sType` value; `undefined` if the
 * registry lacks the value. No other word of the table is a bare number.
 */
export function nameOfSType(sType: number): string | undefined {
  const known = namesBySType.get(sType);
  if (known !== undefined) return known;
  let at = STRUCTS.indexOf(` ${sType} `);
  if (at < 0) at = STRUCTS.indexOf(` ${sType}\n`);
  if (at < 0) return undefined; // is not kept: a damaged recording may have any number of such values
  const name = STRUCTS.slice(STRUCTS.lastIndexOf("\n", at) + 1, at);
  namesBySType.set(sType, name);
  return name;
}

/** Names that were found: a search reads half of the table, and chains name the same structs again and again. */
const namesBySType = new Map<number, string>();

/** Returns the names of all structs and unions, in table order. */
export function structNames(): string[] {
  return STRUCTS.trim().split("\n").map((line) => line.slice(0, line.indexOf(" ")));
}

/** Returns the kind of a type name as the tables spell it. */
export function kindOf(type: string): Kind {
  if (has(CODES, type)) return type as Kind;
  if (has(HANDLES, type)) return "h";
  if (has(ENUMS, type)) return "i32";
  if (has(FLAGS, type)) return "u32";
  if (has(FLAGS64, type)) return "u64";
  return has(POINTERS, type) ? "p" : "struct";
}

function has(list: string, name: string): boolean {
  return list.includes(` ${name} `);
}

/** One member of a struct with its place in memory. */
export interface Field extends Spec {
  /** The kind of the type. */
  readonly kind: Kind;
  /** Bytes from the start of the struct; for a bit-field, of the unit that holds it. */
  readonly offset: number;
  /** Bytes in total, including inline arrays. */
  readonly size: number;
  /** Bytes of one innermost element: 8 for a pointer. */
  readonly unit: number;
  /** First bit inside the unit; 0 for a member that is not a bit-field. */
  readonly bit: number;
}

/** The places of all members in one struct or union, as the C compiler lays it out on a 64-bit machine. */
export interface Layout {
  /** The C name. */
  readonly name: string;
  /** The value of the `sType` member; -1 if there is none. */
  readonly sType: number;
  /** Whether all members share offset 0. */
  readonly union: boolean;
  /** Members in C order, including `sType` and `pNext`. */
  readonly fields: readonly Field[];
  /** Bytes, padded to the alignment. */
  readonly size: number;
  /** Alignment in bytes. */
  readonly align: number;
}

const SIZES: Record<Kind, number> = {
  u8: 1,
  i8: 1,
  str: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  bool: 4,
  u64: 8,
  i64: 8,
  usize: 8,
  f64: 8,
  h: 8,
  p: 8,
  void: 0,
  chain: 8,
  struct: 0,
};
const layouts = new Map<string, Layout>();

/** Returns the bytes of one scalar of a kind. */
export function sizeOfKind(kind: Kind): number {
  return SIZES[kind];
}

/**
 * Returns the layout of a struct or union, computed at the first use. Throws a
 * `TypeError` for a name that the registry lacks.
 */
export function layoutOf(name: string): Layout {
  let layout = layouts.get(name);
  if (layout === undefined) layouts.set(name, layout = compute(name));
  return layout;
}

/** The current position while members are placed, in bits. */
interface Cursor {
  bit: number;
  end: number;
  align: number;
}

function compute(name: string): Layout {
  const line = findLine(name);
  if (line === undefined) {
    const meant = closest(name, structNames());
    throw new TypeError(
      `Cannot find struct "${name}": the registry has none of that name; ` +
        (meant ? `did you mean ${meant}?` : "check the spelling"),
    );
  }
  const [, tag, ...members] = line.split(" ").filter((word) => word !== "");
  const union = tag === "/", sType = /^\d/.test(tag) ? Number(tag) : -1;
  const specs = members.map(parseSpec);
  if (sType >= 0) specs.unshift(parseSpec("sType:i32"), parseSpec("pNext:*chain"));
  const cursor: Cursor = { bit: 0, end: 0, align: 1 };
  const fields = specs.map((spec) => {
    if (union) cursor.bit = 0;
    return place(spec, cursor);
  });
  const { align } = cursor;
  return { name, sType, union, fields, align, size: Math.ceil(cursor.end / 8 / align) * align };
}

function place(spec: Spec, cursor: Cursor): Field {
  const kind = kindOf(spec.type);
  const inner = kind === "struct" && spec.stars === 0 ? layoutOf(spec.type) : undefined;
  const unit = spec.stars > 0 ? 8 : inner?.size ?? SIZES[kind];
  const align = inner?.align ?? unit;
  const size = spec.dims.reduce((product, extent) => product * extent, unit);
  if (!fitsInUnit(spec, cursor.bit, unit)) cursor.bit = Math.ceil(cursor.bit / (align * 8)) * align * 8;
  const offset = Math.floor(cursor.bit / 8 / align) * align, bit = cursor.bit - offset * 8;
  cursor.bit += spec.bits || size * 8;
  cursor.end = Math.max(cursor.end, cursor.bit);
  cursor.align = Math.max(cursor.align, align);
  return { ...spec, kind, offset, size, unit, bit };
}

/** A bit-field stays in the current storage unit unless it crosses into the next. */
function fitsInUnit(spec: Spec, bit: number, unit: number): boolean {
  const bits = unit * 8;
  return spec.bits > 0 && Math.floor(bit / bits) === Math.floor((bit + spec.bits - 1) / bits);
}
