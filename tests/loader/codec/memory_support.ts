/** Arena and foreign memory for codec tests. */
import { arena } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { codec } from "../../../loader/codec/codec.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";

/** Runs a test body and releases what it allocated in the arena. */
export function withArena<T>(body: () => T): T {
  const mark = arena().mark();
  try {
    return body();
  } finally {
    arena().release(mark);
  }
}

/** Encodes an object into fresh arena memory; returns its offset. */
export function encoded(name: string, object: StructObject): number {
  const place = arena().alloc(codec(name).size);
  codec(name).encode(object, place);
  return place;
}

/** Encodes and decodes again. */
export function roundTrip(name: string, object: StructObject, selector?: number): StructObject {
  return withArena(() => codec(name).decode(encoded(name, object), selector));
}

/**
 * Moves what was encoded from arena offset `start` on to memory of its own, as
 * if another program had made it: every word that points into the moved part is
 * shifted, and the arena's copy is overwritten.
 */
export function moveOut(start: number): NativeBlock {
  const memory = arena(), size = memory.mark() - start;
  const block = new NativeBlock(Math.max(size, 16));
  block.bytes.set(memory.bytes.subarray(start, start + size));
  for (let at = 0; at + 8 <= size; at += 8) {
    const word = block.view.getBigUint64(at, true) - memory.base - BigInt(start);
    if (word >= 0n && word <= BigInt(size)) block.view.setBigUint64(at, block.address + word, true);
  }
  memory.bytes.fill(0xee, start, start + size);
  return block;
}
