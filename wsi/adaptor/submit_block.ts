import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";

/** Native memory for a rewritten submission. The memory does not move during a submission. */
export class SubmitBlock {
  #block: NativeBlock;
  #used = 0;

  /** Makes a block with some room. */
  constructor(size = 4096) {
    this.#block = new NativeBlock(size);
  }

  /** The memory. Another one after {@linkcode SubmitBlock.begin}. */
  get view(): DataView {
    return this.#block.view;
  }

  /** Address of the first byte. */
  get address(): bigint {
    return this.#block.address;
  }

  /** Starts a new submission with the given number of bytes at least; earlier contents are lost. */
  begin(size: number): void {
    if (size > this.#block.size) {
      this.#block.close();
      this.#block = new NativeBlock(2 * size);
    }
    this.#used = 0;
  }

  /** A place for so many bytes, 8-aligned; {@linkcode SubmitBlock.begin} has made sure of them. */
  alloc(size: number): number {
    const at = this.#used;
    this.#used += size + 7 & ~7;
    return at;
  }

  /** A place with a copy of native memory. */
  copyIn(address: bigint, size: number): number {
    const at = this.alloc(size);
    copyMemory(this.#block.address + BigInt(at), address, size);
    return at;
  }

  /** Address of a place. */
  addressOf(at: number): bigint {
    return this.#block.address + BigInt(at);
  }

  /** Stores the address of one offset at another offset. */
  point(from: number, to: number): void {
    this.#block.view.setBigUint64(from, this.addressOf(to), true);
  }

  /** Frees the memory. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}
