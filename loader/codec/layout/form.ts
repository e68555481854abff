import type { Field, Layout } from "./layout.ts";
import { lengthOf } from "./length.ts";

/**
 * How a member travels between its object and its bytes.
 *
 * - `sType`, `chain`, `bits`, `scalar`: as named
 * - `chars`: text inside the struct; `string`, `strings`: pointer to text,
 *   pointer to pointers to text
 * - `nested`, `list`, `grid`: a struct inside the struct, an inline array, an
 *   inline array of arrays
 * - `one`, `many`, `pointers`: pointer to one element, to an array, to an array
 *   of pointers to structs
 * - `bytes`: pointer to a payload of known size; `address`: a pointer that is
 *   passed on as a number
 */
export type Form =
  | "sType"
  | "chain"
  | "bits"
  | "scalar"
  | "chars"
  | "string"
  | "strings"
  | "nested"
  | "list"
  | "grid"
  | "one"
  | "many"
  | "pointers"
  | "bytes"
  | "address";

/** The form of a member. */
export function formOf(layout: Layout, field: Field): Form {
  if (field.name === "sType" && layout.sType >= 0) return "sType";
  if (field.kind === "chain") return "chain";
  if (field.bits > 0) return "bits";
  return field.stars === 0 ? inlineForm(field) : pointerForm(layout, field);
}

function inlineForm(field: Field): Form {
  if (field.kind === "str") return "chars";
  if (field.dims.length > 0) return field.dims.length === 1 ? "list" : "grid";
  return field.kind === "struct" ? "nested" : "scalar";
}

function pointerForm(layout: Layout, field: Field): Form {
  const single = field.len === "" || field.len === "1";
  const known = !single && lengthOf(layout, field) !== undefined;
  if (field.kind === "str") return field.stars === 1 ? "string" : "strings";
  if (field.stars === 2) return known && field.kind === "struct" ? "pointers" : "address";
  if (field.kind === "void") return known ? "bytes" : "address";
  if (single) return "one";
  if (!known) return "address";
  return isPayload(field) ? "bytes" : "many";
}

/** Byte arrays and SPIR-V (whose size is given in bytes) are payloads. Any view of bytes is accepted for them. */
function isPayload(field: Field): boolean {
  return field.kind === "u8" || /^\w+\/\d+$/.test(field.len);
}

const RARE: readonly Form[] = ["chars", "string", "strings", "list", "grid", "pointers", "bytes", "address"];

/** Whether code is generated for a member. The other forms are rare or slow enough for a closure each. */
export function isInlined(layout: Layout, field: Field): boolean {
  return !RARE.includes(formOf(layout, field));
}
