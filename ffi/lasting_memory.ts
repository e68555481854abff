import { mapMemory, type Memory, type MemoryReserve, takeFromStock } from "./block.ts";

/** Bytes that are mapped at once. The system provides the memory when it is first used. */
const PIECE = 1 << 16;
/** Blocks begin on lines of the processor's cache. */
const LINE = 64;

/**
 * Memory that stays for the life of the process, because machine code may read
 * it when the isolate has ended. Blocks share what is mapped: a block of its
 * own page would be a mapping of its own.
 */
class LastingMemory implements MemoryReserve {
  #piece: Memory | undefined;
  #used = 0;

  /** Returns zeroed memory, mapped for a block alone if the block is large. Safe inside callbacks while there is a stock. */
  take(size: number): Memory {
    if (size > PIECE / 4) return takeFromStock(size) ?? mapMemory(size);
    if (!this.#piece || this.#used + size > PIECE) {
      this.#piece = takeFromStock(PIECE) ?? mapMemory(PIECE);
      this.#used = 0;
    }
    const { address, bytes } = this.#piece, at = this.#used;
    this.#used = Math.ceil((at + size) / LINE) * LINE;
    return { address: address + BigInt(at), bytes: bytes.subarray(at, at + size) };
  }

  /** Nothing that lasts is unmapped. */
  keep(): boolean {
    return true;
  }
}

/** The reserve for blocks that are never closed. */
export const LASTING: MemoryReserve = new LastingMemory();
