import type { Kind } from "../codec/tables.ts";

/** How one kind of value crosses between JavaScript and native memory, as source text. */
export interface ScalarSource {
  /** Bytes. */
  readonly size: number;
  /** Expression that checks and converts `value`; `label` is a string literal naming it. */
  check(value: string, label: string): string;
  /** Statement that stores a checked value at offset expression `at`. */
  store(at: string, value: string): string;
  /** Expression that loads the value at offset expression `at`. */
  load(at: string): string;
}

function dataView(
  size: number,
  accessor: string,
  check: ScalarSource["check"],
  convert = (loaded: string) => loaded,
): ScalarSource {
  const order = size === 1 ? "" : ", true";
  return {
    size,
    check,
    store: (at, value) => `$m.set${accessor}(${at}, ${value}${order});`,
    load: (at) => convert(`$m.get${accessor}(${at}${size === 1 ? "" : ", true"})`),
  };
}

/** A number, truncated to 32 bits; anything else goes to the slow checker, which throws or converts. */
const unsigned: ScalarSource["check"] = (value, label) =>
  `(typeof ${value} === "number" ? ${value} >>> 0 : $number(${value}, ${label}) >>> 0)`;
const signed: ScalarSource["check"] = (value, label) =>
  `(typeof ${value} === "number" ? ${value} | 0 : $number(${value}, ${label}) | 0)`;
const float: ScalarSource["check"] = (value, label) =>
  `(typeof ${value} === "number" ? ${value} : $number(${value}, ${label}))`;
const big: ScalarSource["check"] = (value, label) =>
  `(typeof ${value} === "bigint" ? ${value} : $bigint(${value}, ${label}))`;
const size: ScalarSource["check"] = (value, label) =>
  `(typeof ${value} === "bigint" ? ${value} : $size(${value}, ${label}))`;
const boolean: ScalarSource["check"] = (value) => `(${value} ? 1 : 0)`;

/** Source for each kind; structs, strings, chains and bytes have rules of their own elsewhere. */
export const SCALARS: Readonly<Record<Kind, ScalarSource>> = {
  u8: dataView(1, "Uint8", unsigned),
  i8: dataView(1, "Int8", signed),
  u16: dataView(2, "Uint16", unsigned),
  i16: dataView(2, "Int16", signed),
  u32: dataView(4, "Uint32", unsigned),
  i32: dataView(4, "Int32", signed),
  bool: dataView(4, "Uint32", boolean, (loaded) => `${loaded} !== 0`),
  f32: dataView(4, "Float32", float),
  f64: dataView(8, "Float64", float),
  u64: dataView(8, "BigUint64", big),
  i64: dataView(8, "BigInt64", big),
  usize: dataView(8, "BigUint64", size, (loaded) => `Number(${loaded})`),
  h: dataView(8, "BigUint64", (value, label) => `$handle(${value}, ${label})`),
  p: dataView(8, "BigUint64", big),
  void: dataView(8, "BigUint64", big),
  str: dataView(8, "BigUint64", big),
  struct: dataView(8, "BigUint64", big),
  chain: dataView(8, "BigUint64", big),
};
