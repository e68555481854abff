import { evaluateLength, formOf, lengthOf } from "../../../codec/layout/form.ts";
import { type Field, type Kind, type Layout, layoutOf, nameOfSType, sizeOfKind } from "../../../codec/layout/layout.ts";
import type { StructObject } from "../../../codec/values/convert.ts";
import type { TraceFields, TraceValue } from "./line.ts";

/** The differences between kinds of streams. */
export interface Style {
  /** A handle of a type. */
  handle(type: string, value: bigint): TraceValue;
  /** Bytes, or the words of SPIR-V. */
  payload(content: Uint8Array | Uint32Array): TraceValue;
  /** An address that was not followed. `size` bytes are there, if that is known. */
  address(value: bigint, size?: number): TraceValue;
  /** The type of a struct of a chain. */
  sType(value: number, name: string): TraceValue;
  /** Whether a member is written. */
  keeps(layout: Layout, field: Field, object: StructObject): boolean;
  /** Whether a struct of a chain is written. */
  links(name: string, link: StructObject): boolean;
}

/** Writes values as {@linkcode TraceValue} describes. */
export const TRACE: Style = {
  handle: (_type, value) => hexadecimal(value),
  payload: (content) => content instanceof Uint32Array ? [...content] : traceBytes(content),
  address: hexadecimal,
  sType: (value) => value,
  keeps: () => true,
  links: () => true,
};

/** Formats a decoded struct for a trace. */
export function traceStruct(layout: Layout, object: StructObject, style: Style = TRACE): TraceFields {
  const fields: TraceFields = {};
  for (const field of layout.fields) {
    const value = object[field.name];
    if (value === undefined || field.name === "sType" && layout.sType >= 0) continue;
    if (field.kind === "chain") {
      const chain = (value as StructObject[]).filter((link) =>
        style.links(nameOfSType(link.sType as number) ?? "", link)
      );
      if (chain.length > 0) fields.pNext = chain.map((link) => traceLink(link, style));
    } else if (style.keeps(layout, field, object)) {
      fields[field.name] = traceField(layout, field, object, style);
    }
  }
  return fields;
}

/**
 * Formats one struct of a chain. {@linkcode traceStruct} leaves out the empty
 * `pNext` with which the struct was decoded.
 */
function traceLink(item: StructObject, style: Style): TraceFields {
  const sType = item.sType as number, name = nameOfSType(sType);
  if (name === undefined) return { sType, address: style.address(item.address as bigint) };
  return { sType: style.sType(sType, name), ...traceStruct(layoutOf(name), item, style) };
}

function traceField(layout: Layout, field: Field, object: StructObject, style: Style): TraceValue {
  const value = object[field.name], form = formOf(layout, field);
  if (form === "bytes" && typeof value === "bigint") return style.address(value, payloadSize(layout, field, object));
  const followed = ["scalar", "bits", "list", "grid", "one", "many"].includes(form);
  return traceMember(field, followed && field.kind !== "struct" ? field.kind : "p", value, style);
}

/** Returns the bytes of a payload that was too large for the codec to copy. */
function payloadSize(layout: Layout, field: Field, object: StructObject): number {
  const count = evaluateLength(lengthOf(layout, field)!.text, (name) => Number(object[name]));
  return count * (sizeOfKind(field.kind) || 1);
}

/** `kind` is the kind of a bigint: an element at a pointer, or an address that was not followed. */
function traceMember(field: Field, kind: Kind, value: unknown, style: Style): TraceValue {
  if (ArrayBuffer.isView(value)) return style.payload(value as Uint8Array | Uint32Array);
  if (Array.isArray(value)) return value.map((item) => traceMember(field, kind, item, style));
  if (typeof value !== "object" || value === null) return traceScalar(kind, value, style, field.type);
  return traceStruct(layoutOf(field.type), value as StructObject, style);
}

/** Formats bytes for a trace. */
export function traceBytes(bytes: Uint8Array): TraceFields {
  let text = "";
  for (const byte of bytes) text += (byte < 16 ? "0" : "") + byte.toString(16);
  return { bytes: text };
}

/** Formats a scalar for a trace. `type` is the type of a handle. */
export function traceScalar(kind: Kind, value: unknown, style: Style = TRACE, type = ""): TraceValue {
  if (typeof value === "bigint") {
    if (kind === "h") return style.handle(type, value);
    return kind === "p" || kind === "void" ? style.address(value) : `${value}`;
  }
  if (typeof value !== "number") return value as boolean | string | null;
  if (Number.isFinite(value) && !Object.is(value, -0)) return value;
  return Object.is(value, -0) ? "-0" : `${value}`;
}

/** Formats a handle or an address. */
export function hexadecimal(value: bigint): string {
  return `0x${value.toString(16)}`;
}
