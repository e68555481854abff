import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";

/** Native memory for what a submission is rewritten to. It does not move while one is. */
export class SubmitBlock {
  #block: NativeBlock;
  #used = 0;

  /** With some room. */
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

  /** Begins anew, with at least so many bytes, which is all there will be. What was in it is gone. */
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

  /** Stores the address of a place at another one. */
  point(from: number, to: number): void {
    this.#block.view.setBigUint64(from, this.addressOf(to), true);
  }

  /** Frees the memory. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}
