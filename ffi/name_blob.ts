import { NativeBlock } from "./block.ts";

/** Names in native memory, one after the other, as {@linkcode fillTable} reads them. */
export class NameBlob {
  /** Address of the first name. */
  readonly address: bigint;
  /** How many names. */
  readonly count: number;
  #block: NativeBlock;

  /** Places names, given as a list or as one text with a space between two; they must be ASCII, as C names are. */
  constructor(names: string | readonly string[]) {
    const list = typeof names === "string" ? names.split(/\s+/).filter((name) => name !== "") : names;
    const text = list.join("\0");
    this.count = list.length;
    this.#block = new NativeBlock(text.length + 2); // zeroed, so the names end with an empty one
    this.address = this.#block.address;
    const { read, written } = new TextEncoder().encodeInto(text, this.#block.bytes);
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
