import { WsiError } from "../error.ts";
import { syncDmaBuf } from "./dma_buf.ts";
import type { BufferMemory } from "./memory.ts";
import { USAGE } from "./usage.ts";

/**
 * The CPU's way to a buffer's bytes, shared by all its owners. What is handed
 * out is cut off when the last lock ends: afterwards it is empty, so that
 * nobody touches memory that may be gone.
 */
export class CpuAccess {
  readonly #memory: BufferMemory;
  #buffer: ArrayBuffer | undefined;
  #locks = 0;
  #access = 0;

  /** Does nothing before the first lock. */
  constructor(memory: BufferMemory) {
    this.#memory = memory;
  }

  /** The memory, until as many unlocks; usage says what for. */
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
