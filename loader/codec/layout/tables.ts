import { ENUMS, FLAGS, FLAGS64, HANDLES, POINTERS, STRUCTS } from "../../gen/structs_gen.js";

/**
 * The kind of a type name in the tables: a scalar code, text, a handle, a
 * pointer-sized opaque, untyped memory or a nested struct.
 */
export type Kind =
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
  | "str"
  | "void"
  | "p"
  | "h"
  | "chain"
  | "struct";

const CODES = " u8 i8 u16 i16 u32 i32 u64 i64 usize f32 f64 bool str void p chain ";

/**
 * Returns the table line of a struct or union; `undefined` if the registry
 * lacks the name. One substring search; no index is built.
 */
export function findLine(name: string): string | undefined {
  const start = STRUCTS.indexOf(`\n${name} `);
  if (start < 0) return undefined;
  const end = STRUCTS.indexOf("\n", start + 1);
  return STRUCTS.slice(start + 1, end < 0 ? undefined : end);
}

/**
 * Returns the name of the struct with this `sType` value; `undefined` if the
 * registry lacks the value. No other word of the table is a bare number.
 */
export function nameOfSType(sType: number): string | undefined {
  let at = STRUCTS.indexOf(` ${sType} `);
  if (at < 0) at = STRUCTS.indexOf(` ${sType}\n`);
  return at < 0 ? undefined : STRUCTS.slice(STRUCTS.lastIndexOf("\n", at) + 1, at);
}

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
