import { formOf } from "../../../codec/form.ts";
import { type Field, type Layout, layoutOf } from "../../../codec/layout.ts";
import { type Kind, nameOfSType } from "../../../codec/tables.ts";
import type { StructObject } from "../../../codec/values.ts";
import type { TraceFields, TraceValue } from "./line.ts";

/** A decoded struct as a trace has it. */
export function traceStruct(layout: Layout, object: StructObject): TraceFields {
  const fields: TraceFields = {};
  for (const field of layout.fields) {
    const value = object[field.name];
    if (value === undefined || field.name === "sType" && layout.sType >= 0) continue;
    if (field.kind !== "chain") fields[field.name] = traceMember(field, elementKind(layout, field), value);
    else if ((value as unknown[]).length > 0) fields.pNext = (value as StructObject[]).map(traceLink);
  }
  return fields;
}

/** One struct of a chain; {@linkcode traceStruct} leaves out the empty `pNext` that it was decoded with. */
function traceLink(item: StructObject): TraceFields {
  const sType = item.sType as number, name = nameOfSType(sType);
  if (name === undefined) return { sType, address: hexadecimal(item.address as bigint) };
  return { sType, ...traceStruct(layoutOf(name), item) };
}

/** What a bigint in a member is: an element that a pointer leads to, or an address that was not followed. */
function elementKind(layout: Layout, field: Field): Kind {
  const followed = ["scalar", "bits", "list", "grid", "one", "many"].includes(formOf(layout, field));
  return followed && field.kind !== "struct" ? field.kind : "p";
}

function traceMember(field: Field, kind: Kind, value: unknown): TraceValue {
  if (value instanceof Uint8Array) return traceBytes(value);
  if (value instanceof Uint32Array) return [...value];
  if (Array.isArray(value)) return value.map((item) => traceMember(field, kind, item));
  if (typeof value !== "object" || value === null) return traceScalar(kind, value);
  return traceStruct(layoutOf(field.type), value as StructObject);
}

/** Bytes as a trace has them. */
export function traceBytes(bytes: Uint8Array): TraceFields {
  let text = "";
  for (const byte of bytes) text += (byte < 16 ? "0" : "") + byte.toString(16);
  return { bytes: text };
}

/** A scalar as a trace has it. */
export function traceScalar(kind: Kind, value: unknown): TraceValue {
  if (typeof value === "bigint") {
    return kind === "h" || kind === "p" || kind === "void" ? hexadecimal(value) : `${value}`;
  }
  if (typeof value !== "number") return value as boolean | string | null;
  if (Number.isFinite(value) && !Object.is(value, -0)) return value;
  return Object.is(value, -0) ? "-0" : `${value}`;
}

/** A handle or an address. */
export function hexadecimal(value: bigint): string {
  return `0x${value.toString(16)}`;
}
