import { NativeBlock } from "../../../ffi/block.ts";

/** Memory that grows and stays, for what lives as long as one layer is drawn. */
export class Scratch implements Disposable {
  #block: NativeBlock | undefined;

  /** Address of at least so many bytes, with undefined contents. */
  reserve(size: number): bigint {
    if (this.#block && this.#block.size >= size) return this.#block.address;
    this.close();
    return (this.#block = new NativeBlock(Math.ceil(size / 4096) * 4096)).address;
  }

  /** Gives the memory back; it may be used again. */
  close(): void {
    this.#block?.close();
    this.#block = undefined;
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
