import { NativeError } from "./error.ts";
import { libc } from "./libc.ts";

let open = 0;

/** How many {@linkcode NativeBlock}s are open now; a program that closes what it opens gets back to where it began. */
export function openBlocks(): number {
  return open;
}

/** Native memory with an owner: zeroed, page-aligned, at a fixed address until closed. */
export class NativeBlock {
  /** Address of the first byte; a multiple of the page size. */
  readonly address: bigint;
  /** Bytes usable. */
  readonly size: number;
  /** The memory as bytes. Unusable after {@linkcode NativeBlock.close}. */
  readonly bytes: Uint8Array;
  /** The memory as a view. Unusable after {@linkcode NativeBlock.close}. */
  readonly view: DataView;
  #open = true;

  /** Maps `size` bytes. Throws a {@linkcode NativeError} `out-of-memory` when the system refuses. */
  constructor(size: number) {
    const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
    const address = libc().mmap(0n, BigInt(size), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
    if (address === 0xffff_ffff_ffff_ffffn) {
      throw new NativeError("out-of-memory", `Cannot map ${size} bytes: free memory or raise the limit (ulimit -v)`);
    }
    open++;
    this.address = address;
    this.size = size;
    const buffer = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size);
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
  }

  /** Unmaps the memory. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    open--;
    libc().munmap(this.address, BigInt(this.size));
  }

  /** Unmaps the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
