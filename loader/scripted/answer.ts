import { inFrame } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { copyFromArena, peek32, peek64, poke32 } from "../../ffi/machine.ts";
import { codec, codecBySType, type StructObject } from "../codec/codec.ts";
import { VK_INCOMPLETE } from "../gen/native_gen.ts";

/** Bytes of the header of structs in a chain. */
export const HEADER = 16;
/** Offset of `pNext` in them. */
const NEXT = 8n;

/** Writes a struct to an address. Members that are left out are zero. Throws a `TypeError` for unknown members. */
export function writeStruct(name: string, value: object, to: bigint): void {
  const { size, encodeOut } = codec(name);
  inFrame((memory) => {
    const at = memory.alloc(size);
    encodeOut(value as StructObject, at);
    copyFromArena(to, at, size);
  });
}

/** Fills the structs in the `pNext` chain of the struct at an address, from the items with the same `sType`. */
export function fillChain(root: bigint, items: readonly { readonly sType: number }[]): void {
  for (let link = peek64(root + NEXT); link !== 0n; link = peek64(link + NEXT)) {
    const item = items.find(({ sType }) => sType === peek32(link)), found = item && codecBySType(item.sType);
    if (!found) continue;
    inFrame((memory) => {
      const at = memory.alloc(found.size);
      found.encodeOut(item as unknown as StructObject, at);
      copyFromArena(link + BigInt(HEADER), at + HEADER, found.size - HEADER);
    });
  }
}

/** Counts or fills, as the specification says. `write` gets an item and its address, `size` bytes after the last. */
export function fillArray<T>(
  items: readonly T[],
  count: bigint,
  out: bigint,
  size: number,
  write: (item: T, to: bigint) => void,
): number {
  const room = out === 0n ? items.length : Math.min(peek32(count), items.length);
  if (out !== 0n) items.slice(0, room).forEach((item, index) => write(item, out + BigInt(size * index)));
  poke32(count, room);
  return room < items.length ? VK_INCOMPLETE : 0;
}

/** Zeroes `size` bytes at an address. */
export function zeroAt(to: bigint, size: number): void {
  inFrame((memory) => {
    const at = memory.alloc(size);
    memory.bytes.fill(0, at, at + size);
    copyFromArena(to, at, size);
  });
}

/** Reads the handles or pointers of a C array. */
export function longsAt(count: number, array: bigint): bigint[] {
  return Array.from({ length: count }, (_, index) => peek64(array + BigInt(8 * index)));
}

/** Reads the strings of a C array of pointers. */
export function stringsAt(count: number, pointers: bigint): string[] {
  return longsAt(count, pointers).map((pointer) => readCString(pointer));
}
