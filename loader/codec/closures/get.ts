import { getChain } from "../values/chain.ts";
import { formOf } from "../layout/form.ts";
import { contextOf, guardOf } from "./guards.ts";
import { type Field, type Layout, sizeOfKind } from "../layout/layout.ts";
import { evaluateLength, lengthOf } from "../layout/length.ts";
import { memory } from "../values/memory.ts";
import { elementSize } from "./put.ts";
import { bitsGet, type Get, scalarGet } from "../values/scalar.ts";
import type { Finder } from "../struct_codec.ts";
import { readText } from "../values/text.ts";

/** Reads one member of the struct at `at`. `context` and `linked` belong to the struct. */
export type Reader = (at: number, context?: number, linked?: boolean) => unknown;
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
      return (at, _, linked) => linked ? [] : getChain(at + offset, find, inner?.(at));
    case "bits":
      return shifted(bitsGet(field), offset);
    case "chars":
      return (at) => readText(memory().arena.bytes, at + offset, field.size);
    case "string":
      return shifted(getString, offset);
    case "strings":
      return (at) => many(at + offset, count(at), 8, getString);
    case "nested":
      return (at) => element(at + offset, inner?.(at));
    case "list":
      return (at) => list(at + offset, Math.min(count(at), field.dims[0]), field.unit, element);
    case "grid":
      return (at) => grid(at + offset, field, element);
    case "one":
      return (at) => {
        const target = follow(at + offset, size);
        return target === 0 ? null : element(target, inner?.(at));
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
