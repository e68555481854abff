import { NativeBlock } from "./block.ts";

/** Names in native memory, one after the other, as {@linkcode fillTable} reads them. */
export class NameBlob {
  /** Address of the first name. */
  readonly address: bigint;
  /** Address of their sizes: the bytes of each name with its NUL as 32 bits, a 0 behind the last. */
  readonly sizes: bigint;
  /** How many names. */
  readonly count: number;
  #block: NativeBlock;

  /** Places names, given as a list or as one text with a space between two; they must be ASCII, as C names are. */
  constructor(names: string | readonly string[]) {
    const list = typeof names === "string" ? names.split(/\s+/).filter((name) => name !== "") : names;
    const text = list.join("\0");
    const sizes = 4 * (list.length + 1);
    this.count = list.length;
    this.#block = new NativeBlock(sizes + text.length + 2); // zeroed: an empty name is the last, and a size of 0
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
