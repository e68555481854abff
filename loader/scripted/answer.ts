import { inFrame } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { copyFromArena, peek32, peek64, poke32 } from "../../ffi/machine.ts";
import { codec, codecBySType, type StructObject } from "../codec/codec.ts";

const VK_INCOMPLETE = 5;
/** Bytes of what the structs of a chain begin with. */
export const HEADER = 16;
/** Where `pNext` is in them. */
const NEXT = 8n;

/** Writes a struct to an address; members that are not given are zero. Throws a `TypeError` for those that are none. */
export function writeStruct(name: string, value: object, to: bigint): void {
  const { size, encodeOut } = codec(name);
  inFrame((memory) => {
    const at = memory.alloc(size);
    encodeOut(value as StructObject, at);
    copyFromArena(to, at, size);
  });
}

/** Fills the structs of the `pNext` chain of the struct at an address from those of the same `sType`. */
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

/** Count-then-fill, as the specification has it: `write` gets an item and its place, `size` bytes after the last. */
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

/** The handles or pointers of a C array. */
export function longsAt(count: number, array: bigint): bigint[] {
  return Array.from({ length: count }, (_, index) => peek64(array + BigInt(8 * index)));
}

/** The strings of a C array of pointers to them. */
export function stringsAt(count: number, pointers: bigint): string[] {
  return longsAt(count, pointers).map((pointer) => readCString(pointer));
}
