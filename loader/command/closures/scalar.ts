import { arena } from "../../../ffi/arena.ts";
import type { Kind } from "../../codec/layout/layout.ts";
import { toScalar } from "../runtime.ts";

/** Functions that convert one kind of value between JavaScript and native memory: the interpreter's `SCALARS`. */
export interface ScalarAccess {
  /** Bytes. */
  readonly size: number;
  /** Checks and converts a value. `label` is its name in messages. */
  check(value: unknown, label: string): number | bigint;
  /** Stores a checked value at an arena offset. */
  store(at: number, value: number | bigint): void;
  /** Loads the value at an arena offset. */
  load(at: number): unknown;
}

type Accessor = "Uint8" | "Int8" | "Uint16" | "Int16" | "Uint32" | "Int32" | "Float32" | "Float64";
type BigAccessor = "BigUint64" | "BigInt64";

function numeric(size: number, accessor: Accessor, check: ScalarAccess["check"]): ScalarAccess {
  return {
    size,
    check,
    store: (at, value) => arena().view[`set${accessor}`](at, value as number, true),
    load: (at) => arena().view[`get${accessor}`](at, true),
  };
}

function big(accessor: BigAccessor, check: ScalarAccess["check"]): ScalarAccess {
  return {
    size: 8,
    check,
    store: (at, value) => arena().view[`set${accessor}`](at, value as bigint, true),
    load: (at) => arena().view[`get${accessor}`](at, true),
  };
}

/** The kinds whose values are addresses here. */
const ADDRESS = big("BigUint64", by("u64"));

function by(kind: Kind): ScalarAccess["check"] {
  return (value, label) => toScalar(kind, value, label);
}

const boolean = numeric(4, "Uint32", by("bool"));
const sized = big("BigUint64", by("usize"));

/** Access for each kind. Structs, strings, chains and bytes are handled elsewhere, and so are checks of handles. */
export const SCALAR_ACCESS: Readonly<Record<Kind, ScalarAccess>> = {
  u8: numeric(1, "Uint8", by("u8")),
  i8: numeric(1, "Int8", by("i8")),
  u16: numeric(2, "Uint16", by("u16")),
  i16: numeric(2, "Int16", by("i16")),
  u32: numeric(4, "Uint32", by("u32")),
  i32: numeric(4, "Int32", by("i32")),
  bool: { ...boolean, load: (at) => boolean.load(at) !== 0 },
  f32: numeric(4, "Float32", by("f32")),
  f64: numeric(8, "Float64", by("f64")),
  u64: big("BigUint64", by("u64")),
  i64: big("BigInt64", by("i64")),
  usize: { ...sized, load: (at) => Number(sized.load(at)) },
  h: ADDRESS,
  p: ADDRESS,
  void: ADDRESS,
  str: ADDRESS,
  struct: ADDRESS,
  chain: ADDRESS,
};
