import { arena, inFrame } from "../../ffi/arena.ts";
import { codec, type StructObject } from "./codec.ts";

/** Decodes the struct at an address. The caller must know that the address is valid. */
export function structAt(name: string, address: bigint): StructObject {
  return structsAt(name, address, 1)[0];
}

/** Decodes an array of structs at an address. */
export function structsAt(name: string, address: bigint, count: number): StructObject[] {
  const { size, decode } = codec(name);
  return inFrame(() => {
    const at = count === 0 ? 0 : placeOf(address, size * count);
    return Array.from({ length: count }, (_, index) => decode(at + size * index));
  });
}

/** Returns the arena offset of data in the arena, or of a copy of other data. */
function placeOf(address: bigint, size: number): number {
  const memory = arena(), inside = Number(address - memory.base);
  return inside > 0 && inside + size <= memory.size ? inside : memory.copyIn(address, size);
}
