import { NativeBlock } from "./block.ts";

/** Names in native memory, one after the other, as {@linkcode fillTable} reads them. */
export class NameBlob {
  /** Address of the first name. */
  readonly address: bigint;
  /** Address of the sizes: for each name its bytes with the NUL, as 32 bits, and a 0 at the end. */
  readonly sizes: bigint;
  /** How many names there are. */
  readonly count: number;
  #block: NativeBlock;

  /**
   * Copies names to native memory. Give a list, or one string with a space
   * between names. The names must be ASCII, as C names are.
   */
  constructor(names: string | readonly string[]) {
    const list = typeof names === "string" ? names.split(/\s+/).filter((name) => name !== "") : names;
    const text = list.join("\0");
    const sizes = 4 * (list.length + 1);
    this.count = list.length;
    // the block is zeroed: a size of 0 ends the list, after an empty name
    this.#block = new NativeBlock(sizes + text.length + 2);
    this.sizes = this.#block.address;
    this.address = this.sizes + BigInt(sizes);
    list.forEach((name, index) => this.#block.view.setUint32(4 * index, name.length + 1, true));
    const { read, written } = new TextEncoder().encodeInto(text, this.#block.bytes.subarray(sizes));
    if (read !== text.length || written !== read) throw new TypeError("Cannot place names: one is not ASCII");
  }

  /** Frees the memory. A second call does nothing. */
  close(): void {
    this.#block.close();
  }

  /** Frees the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
