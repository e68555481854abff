import { peek32, peek64 } from "../../../ffi/machine.ts";
import { memory } from "./memory.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { type StructObject, trouble } from "./convert.ts";

/** Offset of `pNext` in every struct of a chain. */
export const NEXT = 8;
/** More structs than any chain has. The chain of a broken caller may be a ring. */
export const LONGEST = 4096;

/** The error of a chain that is longer. */
export function ring(): RangeError {
  return new RangeError(`Cannot read a pNext chain of over ${LONGEST} structs: is it a ring?`);
}

/** A struct whose `sType` the registry lacks. It stays where it is and is passed on. */
export interface UnknownStruct {
  /** The value of the first member. */
  readonly sType: number;
  /** The address. */
  readonly address: bigint;
}

/**
 * Writes a `pNext` chain from the pointer at `at` on: a struct, an array of
 * structs, or the address of a chain in memory.
 *
 * Native memory behind an {@linkcode UnknownStruct} cannot be changed, so its
 * own chain continues unchanged. Structs behind it in the array that are not in
 * its chain are moved in front of it.
 */
export function putChain(at: number, next: unknown, find: Finder): void {
  const { view, putAddress } = memory();
  if (typeof next !== "object" || next === null) return putAddress(at, next);
  if (!Array.isArray(next)) return putItems(at, [next], find);
  if (next.length === 0) return view.setFloat64(at, 0);
  putItems(at, next, find);
}

function putItems(at: number, items: unknown[], find: Finder): void {
  for (let i = 0; i < items.length; i++) {
    if (i > 0) at = lastLink(at);
    if (isUnknown(items[i], find)) return putTail(at, items[i] as bigint | UnknownStruct, items.slice(i + 1), find);
    at = putLink(at, items[i] as StructObject, find);
  }
}

/**
 * Reads the `pNext` chain that starts with the pointer at `at`, in order.
 * Structs that the registry lacks are returned as {@linkcode UnknownStruct}.
 */
export function getChain(at: number, find: Finder, context?: number): (StructObject | UnknownStruct)[] {
  const { view, arena } = memory();
  const chain: (StructObject | UnknownStruct)[] = [];
  for (;;) {
    const lower = view.getUint32(at, true), upper = view.getUint32(at + 4, true);
    if (lower === 0 && upper === 0) return chain;
    if (chain.length === LONGEST) throw ring();
    const inside = upper === arena.high && lower >= arena.low && lower < arena.low + arena.size;
    const header = inside ? lower - arena.low : arena.copyIn(view.getBigUint64(at, true), 16);
    const sType = view.getInt32(header, true), codec = find.bySType(sType);
    if (codec === undefined) {
      chain.push({ sType, address: view.getBigUint64(at, true) });
    } else {
      // The rest of a foreign struct is copied directly behind its header, because the arena is a stack of multiples of
      // 16.
      if (!inside && codec.size > 16) arena.copyIn(view.getBigUint64(at, true) + 16n, codec.size - 16);
      chain.push(codec.get(header, context, true));
    }
    at = header + NEXT;
  }
}

/** Whether an item of a chain is a struct that the registry lacks, or an address. */
function isUnknown(item: unknown, find: Finder): boolean {
  if (typeof item === "bigint") return true;
  const { sType, address } = Object(item) as Partial<UnknownStruct>;
  return typeof address === "bigint" && typeof sType === "number" && find.bySType(sType) === undefined;
}

/** Writes one struct and its chain. Returns the place of the last `pNext`. */
function putLink(at: number, item: StructObject, find: Finder): number {
  const { alloc, putPointer } = memory();
  const codec = codecOf(item, find);
  const target = alloc(codec.size);
  putPointer(at, target);
  codec.put(item, target);
  return target + NEXT;
}

function codecOf(item: StructObject, find: Finder): StructCodec {
  const sType = typeof item === "object" && item !== null ? item.sType : undefined;
  return typeof sType === "number" ? find.bySType(sType) ?? trouble() : trouble();
}

/** Returns the place of the last `pNext` of a chain. A chain that leads out of the arena cannot be continued. */
export function lastLink(at: number): number {
  const { view, arena } = memory();
  for (;;) {
    const address = view.getBigUint64(at, true);
    if (address === 0n) return at;
    const offset = Number(address - arena.base);
    if (offset <= 0 || offset >= arena.size) trouble();
    at = offset + NEXT;
  }
}

/** Ends the chain with an unknown struct, after the structs of the array that are not in its chain. */
function putTail(at: number, unknown: bigint | UnknownStruct, rest: unknown[], find: Finder): void {
  const address = typeof unknown === "bigint" ? unknown : unknown.address;
  const reached = rest.length > 0 ? sTypesFrom(address) : new Set();
  for (const item of rest) {
    if (!reached.has(Object(item).sType)) at = lastLink(putLink(at, item as StructObject, find));
  }
  memory().putAddress(at, address);
}

/** The `sType` values of a chain in native memory. */
function sTypesFrom(address: bigint): Set<number> {
  const found = new Set<number>();
  for (; address !== 0n && found.size < LONGEST; address = peek64(address + BigInt(NEXT))) {
    found.add(peek32(address) | 0);
  }
  return found;
}
