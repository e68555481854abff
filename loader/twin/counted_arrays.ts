/**
 * Arrays of structs of properties that a program provides, such as those of VkPhysicalDeviceHostImageCopyProperties: a
 * program asks for the count first, and then for the elements.
 *
 * @module
 */
import { inFrame } from "../../ffi/arena.ts";
import { peek64, poke32 } from "../../ffi/machine.ts";
import { codec, type StructObject } from "../codec/codec.ts";
import { type Field, layoutOf } from "../codec/layout/layout.ts";
import { arraysCountedBy } from "../codec/layout/form.ts";
import { apply, type Patch, patchOf } from "../layers/define/device_changes.ts";

/** An array and its count. */
interface Counted {
  readonly counter: Field;
  readonly arrays: readonly Field[];
}

/** Returns the arrays of a struct that the program provides, with their counts. */
function countedIn(struct: string): Counted[] {
  const layout = layoutOf(struct);
  return layout.fields.map((counter) => ({
    counter,
    arrays: arraysCountedBy(layout, counter).filter(({ stars }) => stars > 0),
  })).filter(({ arrays }) => arrays.length > 0);
}

/** Returns the members that lie in a struct itself. */
export function withoutArrays(struct: string, values: StructObject): StructObject {
  const left = { ...values };
  for (const { counter, arrays } of countedIn(struct)) {
    for (const { name } of [counter, ...arrays]) delete left[name];
  }
  return left;
}

/** Writes the elements for which a program has room, and the counts. */
export function putArrays(struct: string, values: StructObject, address: bigint, before: Patch | undefined): void {
  for (const { counter, arrays } of countedIn(struct)) {
    const lengths = arrays.map(({ name }) => (values[name] as unknown[] | undefined)?.length ?? 0);
    const count = address + BigInt(counter.offset), known = Math.max(...lengths);
    if (known === 0 && values[counter.name] === undefined) continue; // the source does not say
    const given = arrays.map((field) => peek64(address + BigInt(field.offset)));
    const isAsked = given.every((array) => array === 0n),
      room = isAsked ? known : Math.min(known, roomIn(before, counter));
    arrays.forEach((field, index) => {
      if (given[index] !== 0n) putElements(field, (values[field.name] as unknown[] ?? []).slice(0, room), given[index]);
    });
    poke32(count, room);
  }
}

/** The count that the program gave. */
function roomIn(before: Patch | undefined, { offset }: Field): number {
  const body = before?.[0];
  if (!body) return 0;
  return new DataView(body.bytes.buffer, body.bytes.byteOffset).getUint32(offset - body.offset, true);
}

function putElements({ type, kind }: Field, values: readonly unknown[], to: bigint): void {
  const size = kind === "struct" ? layoutOf(type).size : 4;
  values.forEach((value, index) => {
    const at = to + BigInt(size * index);
    if (kind === "struct") apply(patchOf(type, value as object), at);
    else poke32(at, value as number);
  });
}

/** Reads a struct whose arrays may be without memory. */
export function scalarsAt(struct: string, address: bigint): StructObject {
  const { size, decode } = codec(struct), counted = countedIn(struct);
  return inFrame((memory) => {
    const at = memory.copyIn(address, size);
    for (const { counter, arrays } of counted) {
      for (const { offset } of [counter, ...arrays]) memory.view.setUint32(at + offset, 0, true);
      for (const { offset } of arrays) memory.view.setUint32(at + offset + 4, 0, true);
    }
    return withoutArrays(struct, decode(at));
  });
}
