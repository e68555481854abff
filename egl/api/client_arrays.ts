import { NativeBlock } from "../../ffi/block.ts";

/** A context's native copies of client arrays: each lives as long as the driver may read it. */
export class ClientArrays {
  readonly #read = new Map<bigint, NativeBlock>();
  /** The last array's memory, for the next copy: programs set their arrays anew for each frame. */
  #spare: NativeBlock | undefined;

  /**
   * Tells the driver of an array, and keeps a copy of the array for the driver.
   * The driver says which copy the new one replaces: that depends on the bound
   * vertex array object, and a failed command replaces none.
   */
  set(bytes: Uint8Array, tell: (address: bigint) => void, told: () => bigint): void {
    const block = this.#copy(bytes), before = told();
    tell(block.address);
    const after = told();
    if (after === block.address) this.#read.set(after, block);
    else this.#layAside(block);
    if (after !== before) this.#end(before);
  }

  /** The same for an array that is the caller's own, or in a buffer object. */
  leave(tell: () => void, told: () => bigint): void {
    const before = told();
    tell();
    if (told() !== before) this.#end(before);
  }

  /** Frees all: when the context is gone. */
  close(): void {
    for (const block of [...this.#read.values(), this.#spare]) block?.close();
    this.#read.clear();
    this.#spare = undefined;
  }

  #copy(bytes: Uint8Array): NativeBlock {
    const spare = this.#spare && this.#spare.size >= bytes.length ? this.#spare : undefined;
    if (spare) this.#spare = undefined;
    const block = spare ?? new NativeBlock(Math.max(bytes.length, 1));
    block.bytes.set(bytes);
    return block;
  }

  #end(address: bigint): void {
    const block = this.#read.get(address);
    this.#read.delete(address);
    if (block) this.#layAside(block);
  }

  /** Keeps the larger of two blocks. */
  #layAside(block: NativeBlock): void {
    const [larger, smaller] = block.size > (this.#spare?.size ?? -1) ? [block, this.#spare] : [this.#spare, block];
    smaller?.close();
    this.#spare = larger;
  }
}
