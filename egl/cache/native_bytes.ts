import { NativeBlock } from "../../ffi/block.ts";
import { copy } from "../../ffi/machine.ts";

const PIECE = 65536;

/**
 * Copies bytes between native memory and JavaScript's, piece by piece through
 * memory of its own: inside callbacks, no view of foreign memory can be made.
 */
export class NativeBytes {
  readonly #block = new NativeBlock(PIECE);

  /** Takes bytes out of native memory. The caller vouches for the address, here and below. */
  read(address: bigint, size: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(size), block = this.#block;
    for (const [at, length] of piecesOf(size)) {
      copy(block.address, address + BigInt(at), length);
      bytes.set(block.bytes.subarray(0, length), at);
    }
    return bytes;
  }

  /** Puts bytes into native memory. */
  write(address: bigint, bytes: Uint8Array): void {
    const block = this.#block;
    for (const [at, length] of piecesOf(bytes.length)) {
      block.bytes.set(bytes.subarray(at, at + length));
      copy(address + BigInt(at), block.address, length);
    }
  }

  /** Gives the memory back. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}

function* piecesOf(size: number): Iterable<[at: number, length: number]> {
  for (let at = 0; at < size; at += PIECE) yield [at, Math.min(PIECE, size - at)];
}
