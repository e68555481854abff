import { copyFromArena, peek32, poke32 } from "../../ffi/machine.ts";
import { inFrame } from "../../ffi/arena.ts";
import { codec } from "../../loader/codec/codec.ts";
import { apply, eachLink, patchOf } from "../../loader/layers/define/device_changes.ts";
import { VK } from "./results.ts";

/** Writes values to members of the struct at an address. Other members stay as they are. */
export function fill(name: string, address: bigint, values: object): void {
  apply(patchOf(name, values), address);
}

/** Fills the structs of an output's chain, by their names. */
export function fillChain(
  root: bigint,
  answers: { readonly [struct: string]: (address: bigint) => object | void },
): void {
  eachLink(root, (name, address) => {
    const values = answers[name]?.(address);
    if (values) fill(name, address, values);
  });
}

/** Answers a command that first counts and then fills; `write` fills one item. Returns the VkResult. */
export function answerList<T>(
  items: readonly T[],
  count: bigint,
  out: bigint,
  write: (item: T, index: number) => void,
): number {
  if (out === 0n) {
    poke32(count, items.length);
    return VK.SUCCESS;
  }
  const room = Math.min(peek32(count), items.length);
  items.slice(0, room).forEach(write);
  poke32(count, room);
  return room < items.length ? VK.INCOMPLETE : VK.SUCCESS;
}

/** Answers such a command with u32 values. */
export function answerNumbers(items: readonly number[], count: bigint, out: bigint): number {
  return answerList(items, count, out, (item, index) => poke32(out + BigInt(4 * index), item));
}

/** Answers such a command with structs that have no chain. */
export function answerStructs(name: string, items: readonly object[], count: bigint, out: bigint): number {
  const { size, encode } = codec(name);
  return answerList(items, count, out, (item, index) =>
    inFrame((memory) => {
      const at = memory.alloc(size);
      encode(item as never, at);
      copyFromArena(out + BigInt(size * index), at, size);
    }));
}
