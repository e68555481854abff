import type { Field, Layout } from "./layout.ts";

/** The number of elements of an array member, as an expression over its siblings. */
interface Length {
  /** The expression in C spelling. */
  readonly text: string;
  /** The sibling that is the number of elements, if the expression is only its name. */
  readonly count: string;
  /** The sibling that is the number of bytes (`codeSize`), if the expression divides it. */
  readonly bytes: string;
  /** The number itself if no sibling is involved; -1 otherwise. */
  readonly constant: number;
}

/** Code generation asks for lengths and counts many times, so both are kept with their layout. */
const lengths = new WeakMap<Field, Length | undefined>();
const counted = new WeakMap<Layout, Map<string, Field[]>>();
const NO_ARRAYS: readonly Field[] = [];

/**
 * Returns the length of an array member; `undefined` if it is not an array or
 * if the expression names members of another struct, so that the count is
 * unknown here.
 */
export function lengthOf(layout: Layout, field: Field): Length | undefined {
  if (field.len === "") return undefined;
  if (!lengths.has(field)) lengths.set(field, parseLength(layout, field.len.split(",")[0]));
  return lengths.get(field);
}

function parseLength(layout: Layout, text: string): Length | undefined {
  const names = text.match(/[a-zA-Z_]\w*/g) ?? [];
  if (names.some((name) => !layout.fields.some((sibling) => sibling.name === name))) return undefined;
  const count = names[0] === text ? text : "";
  const bytes = names.length === 1 && /^\w+\/\d+$/.test(text) ? names[0] : "";
  return { text, count, bytes, constant: names.length === 0 ? evaluateLength(text, () => 0) : -1 };
}

/** Returns the arrays whose number of elements (or bytes) is this member. */
export function arraysCountedBy(layout: Layout, field: Field): readonly Field[] {
  let index = counted.get(layout);
  if (index === undefined) counted.set(layout, index = indexCounts(layout));
  return index.get(field.name) ?? NO_ARRAYS;
}

/**
 * Returns the members in the order in which they are written: each count is
 * followed by the arrays compared with it.
 */
export function groupsOf(layout: Layout): Field[][] {
  const groups = layout.fields.map((field) => [field, ...arraysCountedBy(layout, field)]);
  const arrays = new Set(groups.flatMap(([, ...rest]) => rest));
  return groups.filter(([field]) => !arrays.has(field));
}

function indexCounts(layout: Layout): Map<string, Field[]> {
  const index = new Map<string, Field[]>();
  for (const array of layout.fields) {
    const length = lengthOf(layout, array), counter = length?.count || length?.bytes;
    if (counter) index.set(counter, [...index.get(counter) ?? [], array]);
  }
  return index;
}

/** Evaluates a count expression: `+ - * /` on unsigned integers and parentheses, with C's integer division. */
export function evaluateLength(text: string, valueOf: (name: string) => number): number {
  const tokens = text.match(/\w+|[-+*/()]/g) ?? [];
  let next = 0;
  function atom(): number {
    const token = tokens[next++];
    if (token !== "(") return /^\d/.test(token) ? Number(token) : valueOf(token);
    const value = sum();
    next++;
    return value;
  }
  function product(): number {
    let value = atom();
    while (tokens[next] === "*" || tokens[next] === "/") {
      value = tokens[next++] === "*" ? value * atom() : Math.floor(value / atom());
    }
    return value;
  }
  function sum(): number {
    let value = product();
    while (tokens[next] === "+" || tokens[next] === "-") value += tokens[next++] === "+" ? product() : -product();
    return value;
  }
  return sum();
}

/**
 * The form in which a member travels between its object and its bytes.
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
