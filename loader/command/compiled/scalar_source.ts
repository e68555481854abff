import type { Kind } from "../../codec/layout/layout.ts";

/** The slow checkers: what is left out is 0 for `$scalar`, and an error for `$asked`. */
type SlowCheck = "$scalar" | "$asked";

/** Source text that converts one kind of value between JavaScript and native memory. */
export interface ScalarSource {
  /** Bytes. */
  readonly size: number;
  /** Expression that checks and converts `value`. `label` is a string literal with its name, `slow` the slow checker. */
  check(value: string, label: string, slow?: SlowCheck): string;
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

/**
 * The test of the common case of a kind, and its value. Everything else goes to
 * the slow checker, which converts or throws.
 */
function checked(kind: Kind, test: (value: string) => string, as = (value: string) => value): ScalarSource["check"] {
  return (value, label, slow = "$scalar") => `(${test(value)} ? ${as(value)} : ${slow}("${kind}", ${value}, ${label}))`;
}

/** The same for numbers that some 32-bit arithmetic does not change. It would throw at bigints. */
function whole(kind: Kind, same: (value: string) => string): ScalarSource["check"] {
  return checked(kind, (value) => `typeof ${value} === "number" && ${value} === (${same(value)})`, same);
}

/** The same for bigints that a cut to some number of bits does not change. */
function wide(kind: Kind, cut: "asIntN" | "asUintN"): ScalarSource["check"] {
  return checked(kind, (value) => `typeof ${value} === "bigint" && BigInt.${cut}(64, ${value}) === ${value}`);
}

const slow = (kind: Kind) => checked(kind, () => "false");
const float = (kind: Kind) => checked(kind, (value) => `typeof ${value} === "number"`);
const boolean = checked("bool", (value) => `typeof ${value} === "boolean"`, (value) => `(${value} ? 1 : 0)`);
const address = checked("u64", (value) => `typeof ${value} === "bigint"`);

/** Source for each kind. Structs, strings, chains and bytes are handled elsewhere, and so are checks of handles. */
export const SCALARS: Readonly<Record<Kind, ScalarSource>> = {
  u8: dataView(1, "Uint8", whole("u8", (value) => `${value} & 255`)),
  i8: dataView(1, "Int8", slow("i8")),
  u16: dataView(2, "Uint16", whole("u16", (value) => `${value} & 65535`)),
  i16: dataView(2, "Int16", slow("i16")),
  u32: dataView(4, "Uint32", whole("u32", (value) => `${value} >>> 0`)),
  i32: dataView(4, "Int32", whole("i32", (value) => `${value} | 0`)),
  bool: dataView(4, "Uint32", boolean, (loaded) => `${loaded} !== 0`),
  f32: dataView(4, "Float32", float("f32")),
  f64: dataView(8, "Float64", float("f64")),
  u64: dataView(8, "BigUint64", wide("u64", "asUintN")),
  i64: dataView(8, "BigInt64", wide("i64", "asIntN")),
  usize: dataView(8, "BigUint64", slow("usize"), (loaded) => `Number(${loaded})`),
  h: dataView(8, "BigUint64", address),
  p: dataView(8, "BigUint64", address),
  void: dataView(8, "BigUint64", address),
  str: dataView(8, "BigUint64", address),
  struct: dataView(8, "BigUint64", address),
  chain: dataView(8, "BigUint64", address),
};
