import { inFrame } from "../../../ffi/arena.ts";
import type { Layout } from "../layout/layout.ts";
import { memory } from "../values/memory.ts";
import type { Finder } from "../struct_codec.ts";
import type { StructObject } from "../values/convert.ts";

/**
 * The key under which a union that was decoded without knowing which member is
 * valid keeps its bytes, so that encoding it again loses nothing (a NaN of
 * `VkClearColorValue.float32` has bits that no JavaScript number keeps).
 */
export const RAW: unique symbol = Symbol("bytes of the union");

/** The bytes of a union at an offset, to be kept under {@linkcode RAW}. */
export function copyRaw(at: number, size: number): Uint8Array {
  return memory().arena.bytes.slice(at, at + size);
}

/** The kept bytes of a decoded union; `undefined` for an object that a script wrote. */
export function rawOf(object: StructObject): Uint8Array | undefined {
  return (object as { [RAW]?: Uint8Array })[RAW];
}

/** Whether two decoded values are the same, NaN included. */
export function same(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length &&
    keys.every((key) => same((left as StructObject)[key], (right as StructObject)[key]));
}

/** The members of a union object that a script has set: all that are there, or, of a decoded one, those that differ from its bytes. */
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
