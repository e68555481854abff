import { inFrame } from "../../../ffi/arena.ts";
import { copyFromArena } from "../../../ffi/machine.ts";
import { chain, nextOf } from "../../driver/structs/create_info.ts";
import { codec, type StructObject } from "../../codec/codec.ts";
import { nameOfSType } from "../../codec/layout/layout.ts";

/** The bytes of some members of a struct, and their offsets. */
export type Patch = readonly { readonly offset: number; readonly bytes: Uint8Array }[];

/**
 * Returns the patch that gives members these values. Throws a `TypeError` if a
 * member does not exist or a value does not fit.
 */
export function patchOf(name: string, values: object): Patch {
  const { size, encodeOut, layout } = codec(name), given = values as StructObject;
  return inFrame((memory) => {
    const at = memory.alloc(size);
    encodeOut(given, at);
    return layout.fields.filter(({ name }) => given[name] !== undefined && name !== "sType" && name !== "pNext")
      .map(({ offset, size }) => ({ offset, bytes: memory.bytes.slice(at + offset, at + offset + size) }));
  });
}

/** Applies a patch to the struct at an address. */
export function apply(patch: Patch | undefined, address: bigint): void {
  if (!patch) return;
  inFrame((memory) => {
    for (const { offset, bytes } of patch) {
      const at = memory.alloc(bytes.length);
      memory.bytes.set(bytes, at);
      copyFromArena(address + BigInt(offset), at, bytes.length);
    }
  });
}

/** Calls `visit` for every struct in the chain of the struct at an address, if the registry has the struct. */
export function eachLink(root: bigint, visit: (name: string, address: bigint) => void): void {
  for (const { sType, address } of chain(nextOf(root))) {
    const name = nameOfSType(sType);
    if (name !== undefined) visit(name, address);
  }
}
