import { arena } from "../../ffi/arena.ts";
import type { Kind } from "../codec/tables.ts";
import { toBigInt, toHandle, toNumber, toSize } from "./runtime.ts";

/** How one kind of value crosses between JavaScript and native memory, as functions: the interpreter's `SCALARS`. */
export interface ScalarAccess {
  /** Bytes. */
  readonly size: number;
  /** Checks and converts a value; `label` names it in messages. */
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

function unsigned(value: unknown, label: string): number {
  return toNumber(value, label) >>> 0;
}

function signed(value: unknown, label: string): number {
  return toNumber(value, label) | 0;
}

function size(value: unknown, label: string): bigint {
  return typeof value === "bigint" ? value : toSize(value, label);
}

const boolean = numeric(4, "Uint32", (value) => value ? 1 : 0);
const sized = big("BigUint64", size);

/** Access for each kind; structs, strings, chains and bytes have rules of their own elsewhere. */
export const SCALAR_ACCESS: Readonly<Record<Kind, ScalarAccess>> = {
  u8: numeric(1, "Uint8", unsigned),
  i8: numeric(1, "Int8", signed),
  u16: numeric(2, "Uint16", unsigned),
  i16: numeric(2, "Int16", signed),
  u32: numeric(4, "Uint32", unsigned),
  i32: numeric(4, "Int32", signed),
  bool: { ...boolean, load: (at) => boolean.load(at) !== 0 },
  f32: numeric(4, "Float32", toNumber),
  f64: numeric(8, "Float64", toNumber),
  u64: big("BigUint64", toBigInt),
  i64: big("BigInt64", toBigInt),
  usize: { ...sized, load: (at) => Number(sized.load(at)) },
  h: big("BigUint64", toHandle),
  p: big("BigUint64", toBigInt),
  void: big("BigUint64", toBigInt),
  str: big("BigUint64", toBigInt),
  struct: big("BigUint64", toBigInt),
  chain: big("BigUint64", toBigInt),
};
