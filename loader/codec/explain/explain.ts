import { closest } from "../../../ffi/check_options.ts";
import { isHole } from "../closures/closures.ts";
import { changedMembers } from "../closures/union.ts";
import { arraysCountedBy, formOf, lengthOf } from "../layout/form.ts";
import type { Field, Kind, Layout } from "../layout/layout.ts";
import { countKind, countThatAsks, isRequiredAlone, neededOf, needsValue, nullMeansAbsent } from "../closures/put.ts";
import type { Finder } from "../struct_codec.ts";
import * as values from "../values/convert.ts";
import type { StructObject } from "../values/convert.ts";
import { describe, hint } from "../../../ffi/scalar.ts";
import { expected, explainChain, first } from "./describe.ts";

/**
 * Returns one sentence on why an object cannot be encoded, examining the C
 * members in order: the struct and the path of the member, what was expected,
 * what was found. Returns `undefined` if nothing is wrong.
 *
 * The encoders only notice that something is wrong; the message is made here
 * afterwards. `out` says that the driver fills the struct, so that nothing is
 * required.
 */
export function explain(layout: Layout, object: unknown, path: string, find: Finder, out = false): string | undefined {
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    return `${path}: expected ${layout.name} (an object with its members), found ${describe(object)}`;
  }
  const given = object as StructObject;
  return explainNames(layout, given, path) ??
    (layout.union ? explainChoice(layout, given, path, find) : undefined) ??
    first(countsFirst(layout), (field) => explainMember(layout, field, given, path, find, out));
}

/** The members in C order, except that counts come before the arrays compared with them. */
function countsFirst(layout: Layout): Field[] {
  const counts = layout.fields.filter((field) => arraysCountedBy(layout, field).length > 0);
  return [...counts, ...layout.fields.filter((field) => !counts.includes(field))];
}

function explainNames(layout: Layout, object: StructObject, path: string): string | undefined {
  const names = layout.fields.map((field) => field.name);
  for (const name in object) {
    if (isHole(layout, object, name)) {
      return `${path}.${name}: expected ${
        expected("h")
      }, found undefined; leave the member out or give null for VK_NULL_HANDLE`;
    }
    if (object[name] === undefined || names.includes(name)) continue;
    const meant = closest(name, names);
    return `${path}.${name} is not a member; ` +
      (meant
        ? `did you mean ${meant}?`
        : `${layout.name} has ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}`);
  }
}

function explainChoice(layout: Layout, object: StructObject, path: string, find: Finder): string | undefined {
  const names = layout.fields.map((field) => field.name);
  const { decoded, changed } = changedMembers(layout, object, find);
  if (changed.length === 1 || decoded && changed.length === 0) return undefined;
  const found = changed.length === 0 ? "none" : changed.join(" and ");
  return `${path}: expected exactly one member of union ${layout.name} (${names.join(", ")}), found ${found}`;
}

function explainMember(
  layout: Layout,
  field: Field,
  object: StructObject,
  path: string,
  find: Finder,
  out: boolean,
): string | undefined {
  const value = object[field.name], place = `${path}.${field.name}`;
  if (arraysCountedBy(layout, field).length > 0) return explainCount(field, value, place);
  if (value === undefined || value === null && (out || nullMeansAbsent(field))) {
    const ignored = out || layout.union && value === undefined;
    return ignored ? undefined : explainAbsence(layout, field, object, place, find);
  }
  return explainRequired(layout, field, value, place, out) ?? explainValue(layout, field, value, place, find, out) ??
    explainLength(layout, field, object, place);
}

function explainCount(field: Field, value: unknown, place: string): string | undefined {
  const kind = countKind(field);
  return value === undefined || value === null ? undefined : explainScalar({ ...field, kind }, value, place);
}

/** Returns what is missing, also inside a struct that was left out as a whole. */
function explainAbsence(
  layout: Layout,
  field: Field,
  object: StructObject,
  place: string,
  find: Finder,
): string | undefined {
  if (isRequiredAlone(layout, field)) return required(place, object[field.name]);
  if (field.stars > 0 && field.required && lengthOf(layout, field)) {
    const needed = neededOf(layout, field)!(object), asks = countThatAsks(layout, field);
    if (asks && object[asks.name] === undefined) return required(place, object[field.name]);
    return needed === 0
      ? undefined
      : `${required(place, object[field.name])} although ${countText(layout, field, needed)}`;
  }
  if (formOf(layout, field) !== "nested") return undefined;
  const inner = find.byName(field.type).layout;
  return inner.union || !needsValue(inner, find)
    ? undefined
    : first(inner.fields, (each) => explainAbsence(inner, each, {}, `${place}.${each.name}`, find));
}

function explainRequired(
  layout: Layout,
  field: Field,
  value: unknown,
  place: string,
  out: boolean,
): string | undefined {
  if (out || !isRequiredAlone(layout, field)) return undefined;
  const handle = field.stars === 0 && fits(field, value) ? values.toHandle(value, field.type) : value;
  return handle === 0n ? required(place, value) : undefined;
}

function required(place: string, value: unknown): string {
  return `${place} is required, found ${describe(value)}`;
}

function countText(layout: Layout, field: Field, needed: number): string {
  return `${lengthOf(layout, field)!.text} is ${needed}`;
}

/** Whether an array is shorter than its count, so that the driver would read past its end. */
function explainLength(layout: Layout, field: Field, object: StructObject, place: string): string | undefined {
  const needed = neededOf(layout, field)?.(object), value = object[field.name];
  if (needed === undefined || typeof value !== "object") return undefined;
  const bytes = formOf(layout, field) === "bytes";
  const found = bytes ? values.byteLengthOfValue(value, field.kind === "u32" ? 4 : 1) : values.lengthOfValue(value);
  if (found! >= needed) return undefined;
  const { bytes: counter } = lengthOf(layout, field)!;
  const why = counter ? `${counter} is ${needed}` : countText(layout, field, needed);
  return `${place}: expected at least ${needed} ${bytes ? "bytes" : "elements"} because ${why}, found ${found}`;
}

/** Examines a present value by the form of its member. */
function explainValue(
  layout: Layout,
  field: Field,
  value: unknown,
  place: string,
  find: Finder,
  out: boolean,
): string | undefined {
  const element = elementProblem(field, find);
  switch (formOf(layout, field)) {
    case "sType":
      return value === layout.sType
        ? undefined
        : `${place}: expected ${layout.sType} (${layout.name}), found ${describe(value)}`;
    case "chain":
      return explainChain(value, place, find, out, explain);
    case "bits":
      return explainBits(field, value, place);
    case "chars":
      return wrong(typeof value === "string", "string", value, place);
    case "string":
      return wrong(typeof value === "string" || typeof value === "bigint", "string", value, place);
    case "strings":
      return explainArray(value, place, (item, at) => wrong(typeof item === "string", "string", item, at));
    case "list":
      return explainInline(field.dims[0], value, place, element);
    case "grid":
      return explainInline(field.dims[0], value, place, (row, at) => explainInline(field.dims[1], row, at, element));
    case "many":
    case "pointers":
      return explainArray(value, place, element);
    case "one":
      return typeof value === "bigint" && field.kind === "struct" ? undefined : element(value, place);
    case "bytes":
      return explainPayload(field, value, place);
    case "address":
      return wrong(typeof value === "bigint", "address (bigint)", value, place);
    default:
      return element(value, place);
  }
}

/** The kind of a scalar, and its type. */
type Scalar = Pick<Field, "kind" | "type">;
type Problem = (value: unknown, place: string) => string | undefined;

function elementProblem(field: Field, find: Finder): Problem {
  if (field.kind === "struct") return (value, place) => explain(find.byName(field.type).layout, value, place, find);
  return (value, place) => {
    const isNull = field.full && (value === null || value === 0n);
    return isNull ? required(place, value) : explainScalar(field, value, place);
  };
}

function wrong(right: boolean, what: string, value: unknown, place: string): string | undefined {
  return right ? undefined : `${place}: expected ${what}, found ${describe(value)}`;
}

function explainScalar(field: Scalar, value: unknown, place: string): string | undefined {
  const { kind, type } = field;
  if (fits(field, value)) return undefined;
  return `${place}: expected ${expected(kind, type, value)}, found ${describe(value)}${hint(kind, value)}`;
}

function explainBits({ bits, kind }: Field, value: unknown, place: string): string | undefined {
  if (attempt(() => values.toUnsigned(value, bits))) return undefined;
  return `${place}: expected integer from 0 to ${2 ** bits - 1} (${bits} bits), found ${describe(value)}${
    hint(kind, value)
  }`;
}

function explainArray(value: unknown, place: string, element: Problem): string | undefined {
  if (typeof value === "bigint") return undefined;
  const length = values.lengthOfValue(value);
  if (typeof length !== "number") return `${place}: expected array, found ${describe(value)}`;
  return first(range(length), (index) => element((value as ArrayLike<unknown>)[index], `${place}[${index}]`));
}

function explainInline(extent: number, value: unknown, place: string, element: Problem): string | undefined {
  const length = values.lengthOfValue(value);
  if (typeof length !== "number") return `${place}: expected array of at most ${extent}, found ${describe(value)}`;
  if (length > extent) return `${place}: expected at most ${extent} elements, found ${length}`;
  return first(range(length), (index) => element((value as ArrayLike<unknown>)[index], `${place}[${index}]`));
}

function explainPayload(field: Field, value: unknown, place: string): string | undefined {
  if (typeof value === "bigint" || values.toBytes(value, field.kind === "u32" ? 4 : 1) !== undefined) return undefined;
  return `${place}: expected bytes (ArrayBuffer or a view of one) or an address (bigint), found ${describe(value)}`;
}

/** Whether an encoder would take the scalar. Uses the encoders' own converters. */
function fits({ kind, type }: Scalar, value: unknown): boolean {
  return attempt(() => CONVERTERS[kind]?.(value, type) ?? values.toU64(value));
}

const CONVERTERS: Partial<Record<Kind, (value: unknown, type: string) => unknown>> = {
  u8: (value) => values.toUnsigned(value, 8),
  i8: (value) => values.toSigned(value, 8),
  u16: (value) => values.toUnsigned(value, 16),
  i16: (value) => values.toSigned(value, 16),
  u32: values.toU32,
  i32: values.toI32,
  i64: values.toI64,
  usize: values.toSize,
  f32: values.toFloat,
  f64: values.toFloat,
  bool: values.toBool,
  h: values.toHandle,
  p: values.toAddress,
};

function attempt(convert: () => unknown): boolean {
  try {
    convert();
    return true;
  } catch {
    return false;
  }
}

function range(length: number): Iterable<number> {
  return Array(length).keys();
}
