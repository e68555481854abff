import { readerOf } from "./get.ts";
import type { Layout } from "../layout/layout.ts";
import { groupsOf } from "../layout/length.ts";
import { writerOf } from "./put.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { type StructObject, trouble } from "../values/convert.ts";

/** An encoder made of one closure per member: what is used where code generation is forbidden. */
export function closureEncoder(layout: Layout, find: Finder): StructCodec["put"] {
  const members = groupsOf(layout).flat().map((field) => ({
    name: field.name,
    write: writerOf(layout, field, find),
  }));
  return (object, at) => {
    if (typeof object !== "object" || object === null) trouble();
    let unknown = 0;
    for (const { name, write } of members) {
      if (object[name] !== undefined) unknown--;
      write(object, at);
    }
    for (const _ in object) unknown++;
    if (unknown > 0) checkNames(layout, object);
  };
}

/** A decoder made of one closure per member. */
export function closureDecoder(layout: Layout, find: Finder): StructCodec["get"] {
  const members = layout.fields.map((field) => ({ name: field.name, read: readerOf(layout, field, find) }));
  return (at, context, linked) => {
    const object: StructObject = {};
    for (const { name, read } of members) object[name] = read(at, context, linked);
    return object;
  };
}

/** Looks for a key that is no member. Called when there are more keys than members seen: most undefined values are no trouble. */
export function checkNames(layout: Layout, object: StructObject): void {
  for (const name in object) {
    if (isHole(layout, object, name)) trouble();
    if (object[name] !== undefined && !layout.fields.some((field) => field.name === name)) trouble();
  }
}

/**
 * Whether a key says undefined for the handle that a struct is about, which the registry does not let be absent though
 * some commands read none: `dstSet: sets[1]` is more likely a set that is not there than none that is wanted. Where
 * there are several such handles (a descriptor's sampler and view), which of them is read depends.
 */
export function isHole(layout: Layout, object: StructObject, name: string): boolean {
  if (object[name] !== undefined) return false;
  const handles = layout.fields.filter(({ kind, stars, optional, required }) =>
    kind === "h" && stars === 0 && !optional && !required
  );
  return handles.length === 1 && handles[0].name === name;
}
