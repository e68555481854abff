import { WsiError } from "../error.ts";
import { syncDmaBuf } from "./dma_buf.ts";
import type { BufferMemory } from "./memory.ts";
import { USAGE } from "./usage.ts";

/**
 * The CPU's access to a buffer's bytes, shared by all owners. When the last lock ends, all views become empty, so that
 * no code reads memory that is unmapped.
 */
export class CpuAccess {
  readonly #memory: BufferMemory;
  #buffer: ArrayBuffer | undefined;
  #locks = 0;
  #access = 0;

  /** Does nothing until the first lock. */
  constructor(memory: BufferMemory) {
    this.#memory = memory;
  }

  /** Returns the memory, valid until as many unlocks. `usage` says how the caller uses the memory. */
  lock(usage: bigint): ArrayBuffer {
    const { address, size, fd, kind } = this.#memory;
    this.#access |= ((usage & USAGE.CPU_READ_MASK) !== 0n ? 1 : 0) | ((usage & USAGE.CPU_WRITE_MASK) !== 0n ? 2 : 0);
    if (kind === "dma-buf") syncDmaBuf(fd, this.#access, false);
    this.#locks++;
    return this.#buffer ??= Deno.UnsafePointerView.getArrayBuffer(
      Deno.UnsafePointer.create(address)!,
      size,
    ) as ArrayBuffer;
  }

  /** Ends one lock. Throws a {@linkcode WsiError} `not-allowed` if there is none. */
  unlock(): void {
    if (this.#locks === 0) throw new WsiError("not-allowed", "Cannot unlock a buffer that is not locked");
    if (--this.#locks === 0) this.#cutOff();
  }

  /** Ends all locks. */
  close(): void {
    if (this.#locks > 0) this.#cutOff();
    this.#locks = 0;
    this.#buffer = undefined;
  }

  #cutOff(): void {
    if (this.#memory.kind === "dma-buf") syncDmaBuf(this.#memory.fd, this.#access, true);
    this.#access = 0;
    // The same memory behind another object; the one handed out is empty from now on.
    this.#buffer = this.#buffer?.transfer();
  }
}
