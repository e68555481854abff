import { arraysCountedBy, evaluateLength, formOf, groupsOf, lengthOf } from "../layout/form.ts";
import { type Field, type Layout, sizeOfKind } from "../layout/layout.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { getChain, lastLink, NEXT, putChain } from "../values/chain.ts";
import { type StructObject, trouble } from "../values/convert.ts";
import { memory, readText } from "../values/memory.ts";
import { bitsGet, type Get, scalarGet } from "../values/scalar.ts";
import { contextOf, guardOf } from "./guards.ts";
import { elementSize, type Writer, writerOf } from "./put.ts";

/** Makes an encoder of one closure per member, for use where code generation is forbidden. */
export function closureEncoder(layout: Layout, find: Finder): StructCodec["put"] {
  const members = groupsOf(layout).flat().map((field) => ({
    name: field.name,
    write: writerOf(layout, field, find),
  }));
  return (object, at) => {
    if (typeof object !== "object" || object === null || Array.isArray(object)) trouble();
    let unknown = 0;
    for (const { name, write } of members) {
      if (object[name] !== undefined) unknown--;
      write(object, at);
    }
    for (const _ in object) unknown++;
    if (unknown > 0) checkNames(layout, object);
  };
}

/** Makes a decoder of one closure per member. */
export function closureDecoder(layout: Layout, find: Finder): StructCodec["get"] {
  const members = layout.fields.map((field) => ({ name: field.name, read: readerOf(layout, field, find) }));
  return (at, context, linked) => {
    const object: StructObject = {};
    for (const { name, read } of members) object[name] = read(at, context, linked);
    return object;
  };
}

/**
 * Searches for a key that is not a member. Called if there are more keys than
 * members found: most undefined values do no harm.
 */
export function checkNames(layout: Layout, object: StructObject): void {
  for (const name in object) {
    if (isHole(layout, object, name)) trouble();
    if (object[name] !== undefined && !layout.fields.some((field) => field.name === name)) trouble();
  }
}

/**
 * Whether a key has undefined as the handle that a struct is about, although
 * the registry does not allow its absence. Some commands read no handle there,
 * but `dstSet: sets[1]` is more likely a missing set than an intended absence.
 * If there are several such handles (a descriptor's sampler and view), it
 * depends on the type which one is read.
 */
export function isHole(layout: Layout, object: StructObject, name: string): boolean {
  if (object[name] !== undefined) return false;
  const handles = layout.fields.filter(({ kind, stars, optional, required }) =>
    kind === "h" && stars === 0 && !optional && !required
  );
  return handles.length === 1 && handles[0].name === name;
}

/** Reads one member of the struct at `at`. `context` and `linked` belong to the struct. */
type Reader = (at: number, context?: number, linked?: boolean) => unknown;
/** Reads one element at `at`. */
type Element = (at: number, context?: number) => unknown;

/** Payloads up to this many bytes are copied. Larger ones decode to their address. */
const LARGEST_COPY = 1 << 20;

/** Returns the reader of a member. */
export function readerOf(layout: Layout, field: Field, find: Finder): Reader {
  const guard = guardOf(layout, field), read = unguarded(layout, field, find);
  if (guard === undefined) return read;
  const { view } = memory();
  return (at, context, linked) => {
    const meant = guard(at, context);
    if (meant === undefined) return view.getBigUint64(at + field.offset, true) || null;
    return meant ? read(at, context, linked) : null;
  };
}

function unguarded(layout: Layout, field: Field, find: Finder): Reader {
  const { offset } = field, { view, follow, getString } = memory();
  const count = countReader(layout, field), element = elementGet(field, find), inner = contextOf(layout, field);
  const size = elementSize(field, find);
  switch (formOf(layout, field)) {
    case "chain":
      return (at, context, linked) => linked ? [] : getChain(at + offset, find, inner?.(at, context));
    case "bits":
      return shifted(bitsGet(field), offset);
    case "chars":
      return (at) => readText(memory().arena.bytes, at + offset, field.size);
    case "string":
      return shifted(getString, offset);
    case "strings":
      return (at) => many(at + offset, count(at), 8, getString);
    case "nested":
      return (at, context) => element(at + offset, inner?.(at, context));
    case "list":
      return (at) => list(at + offset, Math.min(count(at), field.dims[0]), field.unit, element);
    case "grid":
      return (at) => grid(at + offset, field, element);
    case "one":
      return (at, context) => {
        const target = follow(at + offset, size);
        return target === 0 ? null : element(target, inner?.(at, context));
      };
    case "many":
      return (at) => many(at + offset, count(at), size, element);
    case "pointers":
      return (at) =>
        many(at + offset, count(at), 8, (pointer) => {
          const target = follow(pointer, size);
          return target === 0 ? null : element(target);
        });
    case "bytes":
      return (at) => payload(at + offset, count(at), field);
    case "address":
      return (at) => view.getBigUint64(at + offset, true);
    default:
      return shifted(scalarGet(field.kind), offset);
  }
}

/** Returns how many elements an array member has, from the count in memory; the whole extent if there is no count. */
export function countReader(layout: Layout, field: Field): (at: number) => number {
  const length = lengthOf(layout, field);
  if (length === undefined) return () => field.dims[0] ?? 0;
  if (length.constant >= 0) return () => length.constant;
  const counts = new Map(
    layout.fields.map(({ name, kind, stars, offset }) => [name, shifted(scalarGet(stars > 0 ? "p" : kind), offset)]),
  );
  const simple = counts.get(length.count);
  if (simple) return (at) => Number(simple(at));
  return (at) => evaluateLength(length.text, (name) => Number(counts.get(name)!(at)));
}

function shifted(get: Get, offset: number): Get {
  return (at) => get(at + offset);
}

function elementGet(field: Field, find: Finder): Element {
  if (field.kind === "str" || field.kind === "chain" || field.kind === "void") return () => null;
  if (field.kind !== "struct") return scalarGet(field.kind);
  const codec = find.byName(field.type);
  return (at, context) => codec.get(at, context);
}

function list(at: number, length: number, unit: number, element: Element): unknown[] {
  const items: unknown[] = new Array(length);
  for (let i = 0; i < length; i++, at += unit) items[i] = element(at);
  return items;
}

function grid(at: number, { dims, unit }: Field, element: Element): unknown[] {
  return list(at, dims[0], dims[1] * unit, (row) => list(row, dims[1], unit, element));
}

function many(at: number, length: number, unit: number, element: Element): unknown[] | null {
  const { view, follow } = memory();
  if (view.getBigUint64(at, true) === 0n) return null;
  return length === 0 ? [] : list(follow(at, length * unit), length, unit, element);
}

/** Copies the bytes behind a pointer, SPIR-V as words. Returns the address if there are too many bytes. */
function payload(at: number, count: number, field: Field): Uint8Array | Uint32Array | bigint | null {
  const { view, follow, arena } = memory();
  const address = view.getBigUint64(at, true), size = count * (sizeOfKind(field.kind) || 1);
  if (address === 0n) return null;
  if (size > LARGEST_COPY) return address;
  const target = size === 0 ? 0 : follow(at, size);
  const bytes = arena.bytes.slice(target, target + size);
  return field.kind === "u32" ? new Uint32Array(bytes.buffer) : bytes;
}

/** Prepares a struct for a driver to fill: see `Codec.encodeOut`. Throws TROUBLE if a member does not fit. */
export function putOut(layout: Layout, object: StructObject | undefined | null, at: number, find: Finder): void {
  const { zero } = memory();
  zero(at, layout.size);
  putSTypes(layout, at, find);
  if (object === undefined || object === null) return;
  if (typeof object !== "object" || Array.isArray(object)) trouble();
  for (const name in object) {
    if (object[name] === undefined) continue;
    const field = layout.fields.find((candidate) => candidate.name === name) ?? trouble();
    if (name === "pNext" && layout.sType >= 0) putOutChain(object.pNext, at + NEXT, find);
    else writerOfOut(layout, field, find)(object, at);
  }
  for (const field of layout.fields) {
    const counted = object[field.name] === undefined &&
      arraysCountedBy(layout, field).some(({ name }) => object[name] != null);
    if (counted) writerOf(layout, field, find)(object, at);
  }
}

/** Writes a struct's own type, and those of the structs inside it. */
function putSTypes(layout: Layout, at: number, find: Finder): void {
  if (layout.union) return;
  if (layout.sType >= 0) memory().view.setInt32(at, layout.sType, true);
  for (const field of layout.fields) {
    if (field.kind !== "struct" || field.stars > 0) continue;
    const inner = find.byName(field.type).layout;
    for (let place = 0; place < field.size; place += inner.size) putSTypes(inner, at + field.offset + place, find);
  }
}

/** A required member may be null here, because the driver fills it. */
function writerOfOut(layout: Layout, field: Field, find: Finder): Writer {
  const write = writerOf(layout, field, find);
  return (object, at) =>
    object[field.name] === null && formOf(layout, field) !== "sType" ? undefined : write(object, at);
}

/**
 * Chains structs for a driver to fill, from the `pNext` at `link` on: literals
 * with their `sType`, or bare `sType` numbers.
 */
function putOutChain(next: unknown, link: number, find: Finder): void {
  const { alloc, putPointer } = memory();
  if (typeof next !== "object" || next === null) return putChain(link, next, find);
  for (const item of Array.isArray(next) ? next : [next]) {
    const object: StructObject = typeof item === "number" ? { sType: item } : Object(item);
    const codec = find.bySType(object.sType as number);
    if (codec === undefined) return putChain(link, item, find);
    const target = alloc(codec.size);
    putPointer(link, target);
    putOut(codec.layout, object, target, find);
    link = lastLink(target + NEXT);
  }
}
