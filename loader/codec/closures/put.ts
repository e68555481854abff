import { putChain } from "../values/chain.ts";
import { arraysCountedBy, evaluateLength, formOf, lengthOf } from "../layout/form.ts";
import { type Field, type Kind, type Layout, sizeOfKind } from "../layout/layout.ts";
import { memory, writeChars } from "../values/memory.ts";
import { bitsPut, type Put, scalarPut } from "../values/scalar.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import {
  byteLengthOfValue,
  lengthOfValue,
  type StructObject,
  toBytes,
  toHandle,
  toSize,
  trouble,
} from "../values/convert.ts";

/** Writes one member of the object to its place in the struct that starts at `at`. */
export type Writer = (object: StructObject, at: number) => void;

/** Returns the writer of a member, which writes its value or the meaning of its absence. */
export function writerOf(layout: Layout, field: Field, find: Finder): Writer {
  const { name, offset, size } = field, { zero } = memory();
  const put = putOf(layout, field, find);
  if (arraysCountedBy(layout, field).length > 0) {
    const count = countOf(layout, field), put = scalarPut(countKind(field));
    return (object, at) => put(count(object), at + offset);
  }
  const check = checkOf(layout, field), empty = emptyOf(layout, field, find);
  return (object, at) => {
    const value = object[name];
    check(value, object);
    if (value === undefined || value === null && nullMeansAbsent(field)) empty(at + offset);
    else put(value, at + offset);
  };
  function emptyOf(layout: Layout, field: Field, find: Finder): (at: number) => void {
    const form = formOf(layout, field);
    if (form === "sType") return (at) => put(layout.sType, at);
    if (form === "bits") return (at) => put(0, at);
    const inner = form === "nested" ? find.byName(field.type) : undefined;
    return inner && needsValue(inner.layout, find) ? (at) => inner.put({}, at) : (at) => zero(at, size);
  }
}

/**
 * Whether null means the same as leaving the member out. True for pointers,
 * handles and nested structs, but not for numbers.
 */
export function nullMeansAbsent({ stars, kind }: Field): boolean {
  return stars > 0 || kind === "h" || kind === "p" || kind === "chain" || kind === "struct";
}

/**
 * Whether a struct inside another must not simply be zero when it is left out,
 * because it has an `sType` or a required member.
 */
export function needsValue(layout: Layout, find: Finder): boolean {
  if (layout.union) return false;
  return layout.fields.some((field) =>
    field.name === "sType" || isRequiredAlone(layout, field) ||
    formOf(layout, field) === "nested" && needsValue(find.byName(field.type).layout, find)
  );
}

/** Whether a member is required whatever the others are: a required pointer or handle that is not an array. */
export function isRequiredAlone(layout: Layout, field: Field): boolean {
  return field.required && field.dims.length === 0 && lengthOf(layout, field) === undefined &&
    (field.stars > 0 || field.kind === "h" || field.kind === "p");
}

/**
 * The count of a required array that must have elements, by the registry.
 * Whoever leaves out both has forgotten the array. A count of 0 that is stated
 * is passed on: a layer may write what it read.
 */
export function countThatAsks(layout: Layout, field: Field): Field | undefined {
  const length = field.required ? lengthOf(layout, field) : undefined;
  return length && layout.fields.find(({ name, required }) => required && name === (length.count || length.bytes));
}

/** A 64-bit count is treated like a `size_t`: bytes in memory are a number here. */
export function countKind({ kind }: Field): Kind {
  return kind === "u64" ? "usize" : kind;
}

/** Returns the value of a count member: the script's value, or the length of the first array. */
export function countOf(layout: Layout, field: Field): (object: StructObject) => number {
  const arrays = arraysCountedBy(layout, field).map((array) => ({ name: array.name, length: extentOf(layout, array) }));
  return (object) => {
    const stated = object[field.name];
    if (stated !== undefined && stated !== null) {
      return countKind(field) === "usize" ? toSize(stated) : stated as number;
    }
    for (const array of arrays) {
      const length = array.length(object[array.name]);
      if (length !== undefined) return length;
    }
    return 0;
  };
}

/** Returns how much an array value holds, in the unit of its count member. */
function extentOf(layout: Layout, array: Field): (value: unknown) => number | undefined {
  if (formOf(layout, array) !== "bytes") return lengthOfValue;
  const unit = sizeOfKind(array.kind) || 1;
  return (value) => byteLengthOfValue(value, unit);
}

/** Returns how many elements (payloads: bytes) an array member must have; `undefined` if nothing says so. */
export function neededOf(layout: Layout, field: Field): ((object: StructObject) => number) | undefined {
  const length = lengthOf(layout, field);
  if (length === undefined || field.dims.length > 0 || length.text === "1") return undefined;
  if (length.constant >= 0) return () => length.constant;
  const counter = layout.fields.find((sibling) => sibling.name === (length.count || length.bytes));
  if (counter) return countOf(layout, counter);
  const { text } = length;
  return (object) => evaluateLength(text, (name) => Number(object[name] ?? 0));
}

/** Returns the test of a member against the rest of the object: whether it is present if required, and long enough. */
function checkOf(layout: Layout, field: Field): (value: unknown, object: StructObject) => void {
  const needed = neededOf(layout, field), extent = extentOf(layout, field);
  if (needed === undefined) {
    if (!isRequiredAlone(layout, field)) return () => {};
    const isHandle = field.kind === "h" && field.stars === 0;
    return (value) => {
      if (value === undefined || value === null || value === 0n) trouble();
      if (isHandle && toHandle(value, field.type) === 0n) trouble();
    };
  }
  const asks = countThatAsks(layout, field)?.name;
  return (value, object) => {
    if (value === undefined || value === null) {
      if (field.required && (needed(object) !== 0 || asks && object[asks] === undefined)) trouble();
    } else if (typeof value === "object" && !(extent(value)! >= needed(object))) trouble();
  };
}

/** Returns the writer of a present value. */
function putOf(layout: Layout, field: Field, find: Finder): Put {
  const { putAddress, putString } = memory();
  switch (formOf(layout, field)) {
    case "sType":
      return sTypePut(layout.sType);
    case "chain":
      return (value, at) => putChain(at, value, find);
    case "bits":
      return bitsPut(field);
    case "scalar":
      return scalarPut(field.kind, field.type);
    case "chars":
      return charsPut(field.size);
    case "string":
      return (value, at) => putString(at, value);
    case "strings":
      return manyPut(8, (value, at) => typeof value === "string" ? putString(at, value) : trouble());
    case "nested":
      return elementPut(field, find);
    case "list":
      return listPut(field.dims[0], field.unit, elementPut(field, find));
    case "grid":
      return gridPut(field, find);
    case "one":
      return onePut(field, find);
    case "many":
      return manyPut(elementSize(field, find), elementPut(field, find));
    case "pointers":
      return manyPut(8, onePut(field, find));
    case "bytes":
      return bytesPut(sizeOfKind(field.kind) || 1);
    default:
      return (value, at) => putAddress(at, value);
  }
}

/** Bytes of one element behind a member's pointer. */
export function elementSize(field: Field, find: Finder): number {
  return field.kind === "struct" ? find.byName(field.type).size : sizeOfKind(field.kind);
}

function elementPut(field: Field, find: Finder): Put {
  if (field.kind !== "struct") return field.full ? fullPut(field) : scalarPut(field.kind, field.type);
  const codec: StructCodec = find.byName(field.type);
  return (value, at) => codec.put(value as StructObject, at);
}

/** An element of an array of handles that may not be null. */
function fullPut({ kind, type }: Field): Put {
  const put = scalarPut(kind, type), { view } = memory();
  return (value, at) => {
    put(value, at);
    if (view.getBigUint64(at, true) === 0n) trouble();
  };
}

function sTypePut(sType: number): Put {
  const { view } = memory();
  return (value, at) => {
    if (value !== sType) trouble();
    view.setInt32(at, sType, true);
  };
}

function charsPut(size: number): Put {
  const { arena } = memory();
  return (value, at) => {
    if (typeof value !== "string") trouble();
    writeChars(arena.bytes, at, size, value);
  };
}

/** An inline array. Elements that the script leaves out at the end are zero, as after a C initialiser. */
function listPut(extent: number, unit: number, put: Put): Put {
  const { zero } = memory();
  return (value, at) => {
    const length = lengthOfValue(value);
    if (length === undefined || !(length <= extent)) trouble();
    for (let i = 0; i < length; i++) put((value as ArrayLike<unknown>)[i], at + i * unit);
    zero(at + length * unit, (extent - length) * unit);
  };
}

function gridPut(field: Field, find: Finder): Put {
  const [rows, columns] = field.dims;
  return listPut(rows, columns * field.unit, listPut(columns, field.unit, elementPut(field, find)));
}

function onePut(field: Field, find: Finder): Put {
  const { alloc, putPointer, putAddress } = memory();
  const put = elementPut(field, find), size = elementSize(field, find);
  const mayBeAddress = field.kind === "struct";
  return (value, at) => {
    if (mayBeAddress && typeof value === "bigint") return putAddress(at, value);
    const target = alloc(size);
    putPointer(at, target);
    put(value, target);
  };
}

function manyPut(unit: number, put: Put): Put {
  const { alloc, putPointer, putAddress } = memory();
  return (value, at) => {
    if (typeof value === "bigint") return putAddress(at, value);
    const length = lengthOfValue(value) ?? trouble();
    let target = alloc(length * unit);
    putPointer(at, target);
    for (let i = 0; i < length; i++, target += unit) put((value as ArrayLike<unknown>)[i], target);
  };
}

function bytesPut(unit: number): Put {
  const { arena, putAddress } = memory();
  return (value, at) => {
    if (typeof value === "bigint") return putAddress(at, value);
    putAddress(at, arena.place(toBytes(value, unit) ?? trouble()));
  };
}
