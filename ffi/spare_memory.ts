import { type Memory, type MemoryReserve, unmapMemory } from "./block.ts";

/** The most pieces of memory that are kept. */
const MOST = 8;

/**
 * The memory of closed blocks, for an owner who makes and closes blocks of the
 * same few sizes again and again, such as a loader with the tables of its
 * instances. To zero memory takes much less than to unmap it, to map other and
 * to touch its pages. A block from here is like any other: zeroed at first,
 * and its bytes are gone after it was closed.
 */
export class SpareMemory implements MemoryReserve, Disposable {
  readonly #kept: Memory[] = [];
  #open = true;

  /** Returns zeroed memory of exactly this size; `undefined` if none is kept. */
  take(size: number): Memory | undefined {
    const index = this.#kept.findIndex(({ bytes }) => bytes.length === size);
    return index < 0 ? undefined : this.#kept.splice(index, 1)[0];
  }

  /** Keeps the memory of a block that is closed. Returns `false` if it has to be unmapped. */
  keep({ address, bytes }: Memory): boolean {
    if (!this.#open || this.#kept.length === MOST || bytes.buffer.detached) return false;
    const moved = new Uint8Array(bytes.buffer.transfer()); // whoever still has the block's bytes sees none
    moved.fill(0);
    this.#kept.push({ address, bytes: moved });
    return true;
  }

  /** Unmaps what is kept. Blocks that are closed later are unmapped at once. */
  close(): void {
    this.#open = false;
    for (const memory of this.#kept.splice(0)) unmapMemory(memory);
  }

  /** Unmaps the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
