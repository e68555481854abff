import { fittedLong, fittedNumber } from "../../arguments.ts";
import type { Reader } from "./reader.ts";
import { BadMessage } from "./wire.ts";
import type { Writer } from "./writer.ts";

/** The form of a value in a message. */
export interface Codec<Value> {
  /** Bytes that one takes at least. */
  readonly least: number;
  /** Puts it there. */
  write(to: Writer, value: Value): void;
  /** Reads a value. Throws {@linkcode BadMessage} for a malformed one. */
  read(from: Reader): Value;
}

/** The type of a codec's values. */
export type ValueOf<Some> = Some extends Codec<infer Value> ? Value : never;

/** A codec for each of some values. */
export type Codecs<Values extends readonly unknown[]> = { readonly [Index in keyof Values]: Codec<Values[Index]> };

const VALUE = "a value of a message";

/** The numbers that a {@linkcode Writer} puts and a {@linkcode Reader} takes by the same name. Throws a `TypeError` for one that does not fit. */
function number(least: number, name: "i32" | "u32" | "f64"): Codec<number> {
  return { least, write: (to, value) => to[name](fittedNumber(name, value, VALUE)), read: (from) => from[name]() };
}

function long(name: "u64" | "i64"): Codec<bigint> {
  return { least: 8, write: (to, value) => to[name](fittedLong(name, value, VALUE)), read: (from) => from[name]() };
}

/** int32_t: enums, coordinates. */
export const INT: Codec<number> = number(4, "i32");
/** uint32_t: counts, configs. */
export const COUNT: Codec<number> = number(4, "u32");
/** Any number, as exact as it was: fractions, colours. */
export const NUMBER: Codec<number> = number(8, "f64");
/** uint64_t: displays, layers. */
export const ID: Codec<bigint> = long("u64");
/** int64_t: nanoseconds. */
export const TIME: Codec<bigint> = long("i64");

/** 0 or 1. */
export const BOOL: Codec<boolean> = {
  least: 1,
  write: (to, value) => to.u8(Number(value)),
  read(from) {
    const byte = from.u8();
    if (byte > 1) throw new BadMessage(`${byte} is neither true nor false`);
    return byte === 1;
  },
};

/** Bytes, behind their count. */
export const BYTES: Codec<Uint8Array> = {
  least: 4,
  write(to, bytes) {
    to.u32(bytes.length);
    to.raw(bytes);
  },
  read: (from) => from.raw(from.count(1)),
};

/** UTF-8. */
export const TEXT: Codec<string> = {
  least: 4,
  write: (to, text) => BYTES.write(to, new TextEncoder().encode(text)),
  read: (from) => new TextDecoder().decode(BYTES.read(from)),
};

/** Many of the same, behind their count. */
export function list<Value>(of: Codec<Value>): Codec<readonly Value[]> {
  return {
    least: 4,
    write(to, values) {
      to.u32(values.length);
      for (const value of values) of.write(to, value);
    },
    read(from) {
      const values: Value[] = [];
      for (let left = from.count(of.least); left > 0; left--) values.push(of.read(from));
      return values;
    },
  };
}

/** Like {@linkcode list}, for arrays that may be changed. */
export function array<Value>(of: Codec<Value>): Codec<Value[]> {
  return list(of) as Codec<Value[]>;
}

/** Some, or nothing. */
export function optional<Value>(of: Codec<Value>): Codec<Value | undefined> {
  return {
    least: 1,
    write(to, value) {
      BOOL.write(to, value !== undefined);
      if (value !== undefined) of.write(to, value);
    },
    read: (from) => BOOL.read(from) ? of.read(from) : undefined,
  };
}

// deno-lint-ignore no-explicit-any
type Fields = Readonly<Record<string, Codec<any>>>;

/** An object of these members. */
export function record<Members extends Fields>(
  members: Members,
): Codec<{ readonly [Name in keyof Members]: ValueOf<Members[Name]> }> {
  const entries = Object.entries(members);
  return {
    least: entries.reduce((least, [, codec]) => least + codec.least, 0),
    write(to, value) {
      for (const [name, codec] of entries) codec.write(to, value[name]);
    },
    read: (from) => {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of entries) value[name] = codec.read(from);
      return value as { readonly [Name in keyof Members]: ValueOf<Members[Name]> };
    },
  };
}
