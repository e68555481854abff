import { NativeBlock } from "../../ffi/block.ts";

/** The addresses that commands lead to, by slot, where machine code reads them. */
export class NativeTable {
  readonly #block: NativeBlock;
  readonly #entries: BigUint64Array;

  /** Begins with these. */
  constructor(addresses: readonly bigint[]) {
    this.#block = new NativeBlock(8 * addresses.length);
    this.#entries = new BigUint64Array(this.#block.bytes.buffer, this.#block.bytes.byteOffset, addresses.length);
    this.#entries.set(addresses);
  }

  /** Address of the first slot. */
  get address(): bigint {
    return this.#block.address;
  }

  /** Leads a command elsewhere. */
  set(slot: number, address: bigint): void {
    this.#entries[slot] = address;
  }

  /** Frees the memory: no machine code may read it any more. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}
