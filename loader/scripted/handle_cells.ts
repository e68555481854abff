import { NativeBlock } from "../../ffi/block.ts";
import { poke64 } from "../../ffi/machine.ts";
import { LOADER_MAGIC } from "../driver/interface/probe.ts";

/** Bytes of a cell, and of a block of cells. */
const CELL = 16, BLOCK = 1 << 16;

/** Native memory for dispatchable objects. Their handles are its addresses. */
export class HandleCells implements Disposable {
  readonly #blocks: NativeBlock[] = [];
  readonly #free: bigint[] = [];

  /** Maps the first block, because memory may not be mapped as freely later. */
  constructor() {
    this.#grow();
  }

  /** Returns a new handle. */
  take(): bigint {
    if (this.#free.length === 0) this.#grow();
    return stamped(this.#free.pop()!);
  }

  /** Takes a handle back. Its first word no longer belongs to a loader. */
  give(cell: bigint): void {
    poke64(cell, 0n);
    this.#free.push(cell);
  }

  /** Frees all cells. */
  close(): void {
    for (const block of this.#blocks.splice(0)) block.close();
    this.#free.length = 0;
  }

  /** Frees all cells at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #grow(): void {
    const block = new NativeBlock(BLOCK);
    this.#blocks.push(block);
    for (let at = BLOCK - CELL; at >= 0; at -= CELL) this.#free.push(block.address + BigInt(at));
  }
}

/** Makes a handle from memory for one. The loader may overwrite its first word. */
export function stamped(memory: bigint): bigint {
  poke64(memory, LOADER_MAGIC);
  return memory;
}
