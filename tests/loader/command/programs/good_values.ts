/**
 * Plausible arguments of every command, from the generated tables: handles and
 * addresses that lead nowhere, one element in each array, and of a struct
 * only what it must have.
 *
 * @module
 */
import { arraysCountedBy, formOf } from "../../../../loader/codec/layout/form.ts";
import { type Field, type Kind, type Layout, layoutOf } from "../../../../loader/codec/layout/layout.ts";
import type { Parameter } from "../../../../loader/command/plan.ts";

/** An address that a driver dies of if it follows it. */
const NOWHERE = 0x1000n;
/** Structs are nested this deep at most. */
const DEEPEST = 6;

/** A value of a kind. */
export function goodScalar(kind: Kind): unknown {
  if (["h", "p", "u64", "i64", "void"].includes(kind)) return NOWHERE;
  if (kind === "str") return "text";
  return kind === "bool" ? true : kind === "f32" || kind === "f64" ? 0.5 : 1;
}

/** A struct with the members that it must have, or a union with its first. */
export function goodStruct(layout: Layout, depth = 0): Record<string, unknown> {
  const fields = layout.union ? layout.fields.slice(0, 1) : layout.fields.filter((each) => isGiven(layout, each));
  return Object.fromEntries(fields.map((field) => [field.name, goodMember(layout, field, depth)]));
}

function isGiven(layout: Layout, field: Field): boolean {
  const isImplied = field.name === "sType" && layout.sType >= 0 || field.kind === "chain";
  if (isImplied || arraysCountedBy(layout, field).length > 0) return false;
  return field.required || field.kind === "struct" && field.stars === 0;
}

function goodMember(layout: Layout, field: Field, depth: number): unknown {
  switch (formOf(layout, field)) {
    case "string":
    case "chars":
      return "text";
    case "bytes":
      return new Uint8Array(8);
    case "address":
      return NOWHERE;
    case "bits":
      return 1;
    default:
      return inArrays(layout, field, goodElement(field, depth));
  }
}

function inArrays(layout: Layout, field: Field, element: unknown): unknown {
  const form = formOf(layout, field);
  if (form === "grid") return [[element]];
  return ["strings", "list", "many", "pointers"].includes(form) ? [element] : element;
}

function goodElement({ kind, type }: Field, depth: number): unknown {
  if (kind !== "struct") return goodScalar(kind);
  return depth > DEEPEST ? {} : goodStruct(layoutOf(type), depth + 1);
}

/** An argument; nothing where a caller may leave it out. */
export function goodArgument({ role, kind, type, stars, dims, optional }: Parameter): unknown {
  if (optional || role === "output") return undefined;
  if (role === "text") return "text";
  if (role === "data") return new Uint8Array(8);
  const one = kind === "struct" ? goodStruct(layoutOf(type)) : goodScalar(kind), each = stars > 1 ? [one] : one;
  return role === "array" ? Array.from({ length: dims[0] ?? 1 }, () => each) : one;
}
