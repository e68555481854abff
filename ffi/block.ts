import { giveToStock, mapMemory, takeFromStock } from "./block_stock.ts";
import { libc } from "./libc.ts";

/** Sizes of the open blocks by address. */
const open = new Map<bigint, number>();

/**
 * Returns how many {@linkcode NativeBlock}s are open now. A program that closes
 * all its blocks gets back to the first number.
 */
export function openBlocks(): number {
  return open.size;
}

/** Whether the bytes at an address lie in an open {@linkcode NativeBlock}. Searches all blocks. */
export function isInBlock(address: bigint, size: number): boolean {
  for (const [start, length] of open) {
    if (address >= start && address + BigInt(size) <= start + BigInt(length)) return true;
  }
  return false;
}

/** Native memory with an owner: zeroed at first, and at a fixed address until closed. */
export class NativeBlock {
  /** Address of the first byte; a multiple of 4096. */
  readonly address: bigint;
  /** Usable bytes. */
  readonly size: number;
  /** The memory as bytes; empty after {@linkcode NativeBlock.close}. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The memory as a `DataView`. Its methods throw a `TypeError` after {@linkcode NativeBlock.close}. */
  readonly view: DataView;
  #open = true;

  /**
   * Takes `size` bytes from the stock, if there is one (see
   * {@linkcode stockBlocks}); maps them otherwise. Throws a
   * {@linkcode NativeError} `out-of-memory` if the system refuses.
   */
  constructor(size: number) {
    const { address, bytes } = takeFromStock(size) ?? mapMemory(size);
    open.set(address, size);
    this.address = address;
    this.size = size;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, size);
  }

  /** Unmaps the memory. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    open.delete(this.address);
    if (giveToStock(this.address, this.bytes)) return; // the stock stays mapped
    if (!this.bytes.buffer.detached) this.bytes.buffer.transfer(0);
    libc().munmap(this.address, BigInt(this.size));
  }

  /** Unmaps the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
