/** Makes the object of a struct again of what a trace says of it, as a script would write it. */
import { type Field, type Layout, layoutOf, nameOfSType } from "../../../../loader/codec/layout/layout.ts";
import type { StructObject } from "../../../../loader/codec/values/convert.ts";
import type { TraceFields, TraceValue } from "../../../../workbench/layers.ts";

const INTEGERS = ["u64", "i64", "h", "p", "void"];

/** The object of a struct, given its members in a trace. */
export function revive(layout: Layout, fields: TraceFields): StructObject {
  return Object.fromEntries(
    layout.fields.filter(({ name }) => name in fields).map((field) => [field.name, member(field, fields[field.name])]),
  );
}

function member(field: Field, value: TraceValue): unknown {
  if (value === null || field.name === "sType") return value;
  if (Array.isArray(value)) return value.map((item) => member(field, item));
  if (typeof value === "object") return object(field, value);
  if (typeof value !== "string" || field.kind === "str") return value;
  if (field.stars > 0 && value.startsWith("0x")) return BigInt(value);
  if (field.kind === "usize") return Number(value);
  return INTEGERS.includes(field.kind) ? BigInt(value) : Number(value);
}

function object(field: Field, value: TraceFields): unknown {
  if (field.kind === "chain") {
    return revive(layoutOf(nameOfSType(value.sType as number)!), value);
  }
  if (field.kind !== "struct") {
    return Uint8Array.from((value.bytes as string).match(/../g) ?? [], (digits) => parseInt(digits, 16));
  }
  return revive(layoutOf(field.type), value);
}
