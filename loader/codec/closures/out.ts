import { lastLink, NEXT, putChain } from "../values/chain.ts";
import { formOf } from "../layout/form.ts";
import type { Field, Layout } from "../layout/layout.ts";
import { arraysCountedBy } from "../layout/length.ts";
import { memory } from "../values/memory.ts";
import { type Writer, writerOf } from "./put.ts";
import type { Finder } from "../struct_codec.ts";
import { type StructObject, trouble } from "../values/convert.ts";

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
