import { readerOf } from "./get.ts";
import type { Layout } from "../layout/layout.ts";
import { groupsOf } from "../layout/length.ts";
import { writerOf } from "./put.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { type StructObject, trouble } from "../values/convert.ts";

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
