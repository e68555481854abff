import { readerOf } from "./closures.ts";
import { type Field, type Layout, layoutOf } from "../layout/layout.ts";
import { memory } from "../values/memory.ts";
import { writerOf } from "./put.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { type StructObject, trouble } from "../values/convert.ts";
import { inFrame } from "../../../ffi/arena.ts";

/** Makes the encoder of a union: for an object with exactly one member, or for a decoded object. */
export function unionEncoder(layout: Layout, find: Finder, decode: StructCodec["get"]): StructCodec["put"] {
  const members = layout.fields.map((field) => ({ name: field.name, write: writerOf(layout, field, find) }));
  const { zero, arena } = memory();
  return (object, at) => {
    if (typeof object !== "object" || object === null || Array.isArray(object)) trouble();
    const raw = rawOf(object);
    let before: StructObject | undefined;
    if (raw !== undefined) {
      arena.bytes.set(raw, at);
      before = decode(at);
    }
    let chosen: Writer | undefined, keys = 0;
    for (const member of members) {
      const value = object[member.name];
      if (value === undefined) continue;
      keys++;
      if (before !== undefined && same(value, before[member.name])) continue;
      if (chosen !== undefined) trouble();
      chosen = member.write;
    }
    for (const name in object) if (object[name] !== undefined) keys--;
    if (keys < 0) trouble();
    if (chosen === undefined) return before === undefined ? trouble() : undefined;
    zero(at, layout.size);
    chosen(object, at);
  };
}

type Writer = ReturnType<typeof writerOf>;

/**
 * Makes the decoder of a union. With a selector value (the context) that
 * chooses a member, it returns an object with that member. Otherwise it returns
 * all members that can be read without following a pointer, and the bytes
 * themselves under `RAW`.
 */
export function unionDecoder(layout: Layout, find: Finder): StructCodec["get"] {
  const chosen = new Map<number, { name: string; read: ReturnType<typeof readerOf> }>();
  for (const field of layout.fields) {
    const member = { name: field.name, read: readerOf(layout, field, find) };
    for (const value of field.selection) chosen.set(value, member);
  }
  const flat = layout.fields.filter(isFlat).map((field) => ({
    name: field.name,
    read: flatReader(layout, field, find),
  }));
  return (at, context) => {
    const member = context === undefined ? undefined : chosen.get(context);
    if (member !== undefined) return { [member.name]: member.read(at) };
    const object: StructObject = {};
    for (const { name, read } of flat) object[name] = read(at);
    Object.defineProperty(object, RAW, { value: copyRaw(at, layout.size) });
    return object;
  };
}

/** Reads a pointer as its address, so that nothing is followed. */
function flatReader(layout: Layout, field: Field, find: Finder): ReturnType<typeof readerOf> {
  const { view } = memory();
  return field.stars > 0 ? (at) => view.getBigUint64(at, true) : readerOf(layout, field, find);
}

/** Whether reading a member follows no pointer of a struct inside it. */
function isFlat(field: Field): boolean {
  if (field.stars > 0 || field.kind !== "struct") return true;
  return layoutOf(field.type).fields.every((inner) => inner.stars === 0 && isFlat(inner));
}

/**
 * The key for the bytes of a union that was decoded without knowing the valid
 * member. Encoding it again then loses nothing: a NaN of
 * `VkClearColorValue.float32` has bits that no JavaScript number keeps.
 */
export const RAW: unique symbol = Symbol("bytes of the union");

/** Copies the bytes of a union at an offset, for {@linkcode RAW}. */
export function copyRaw(at: number, size: number): Uint8Array {
  return memory().arena.bytes.slice(at, at + size);
}

/** Returns the stored bytes of a decoded union; `undefined` for an object that a script wrote. */
export function rawOf(object: StructObject): Uint8Array | undefined {
  return (object as { [RAW]?: Uint8Array })[RAW];
}

/** Whether two decoded values are equal, including NaN. */
export function same(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length &&
    keys.every((key) => same((left as StructObject)[key], (right as StructObject)[key]));
}

/**
 * Returns the members of a union object that a script has set: all present
 * members or, for a decoded object, those that differ from its bytes.
 */
export function changedMembers(
  layout: Layout,
  object: StructObject,
  find: Finder,
): { decoded: boolean; changed: string[] } {
  const raw = rawOf(object), names = layout.fields.map((field) => field.name);
  const given = names.filter((name) => object[name] !== undefined);
  if (raw === undefined) return { decoded: false, changed: given };
  const before = inFrame((memory) => {
    const at = memory.alloc(layout.size);
    memory.bytes.set(raw, at);
    return find.byName(layout.name).get(at);
  });
  return { decoded: true, changed: given.filter((name) => !same(object[name], before[name])) };
}
