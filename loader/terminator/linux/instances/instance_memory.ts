import { NativeBlock } from "../../../../ffi/block.ts";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { INSTANCE } from "../../../emit/layout.ts";
import { allocateThrough, copyCallbacks, hasCallbacks } from "../../../driver/structs/allocator.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../gen/native_gen.ts";

/** Bytes before each allocation, for the address of the earlier allocation, aligned. */
const HEAD = 16;
/** The alignment of each piece of memory, as with malloc. */
const ALIGNMENT = 16;
/** Bytes to allocate at once if the application gave no allocator: enough for the lists of a few devices. */
const PIECE = 4096;

/** An application's allocator, or a driver, is out of memory. */
export class OutOfHostMemory extends Error {}

/** Returns the result of `run`, or VK_ERROR_OUT_OF_HOST_MEMORY if `run` throws {@linkcode OutOfHostMemory}. */
export function unlessOutOfMemory<T>(run: () => T): T | number {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutOfHostMemory) return VK_ERROR_OUT_OF_HOST_MEMORY;
    throw error;
  }
}

/**
 * Memory that an instance of ours uses during its life, from the application's
 * allocator if there is one. Machine code frees the memory when the instance is
 * destroyed, on any thread.
 */
export class InstanceMemory {
  readonly #instance: bigint;
  /**
   * A copy of the application's VkAllocationCallbacks, because the original may
   * be gone after the command; 0n for none.
   */
  readonly #callbacks: bigint;
  readonly #blocks: NativeBlock[] = [];
  /** Used bytes of the last block. */
  #used = 0;

  /** Starts without memory. */
  constructor(instance: bigint, allocator: bigint) {
    this.#instance = instance;
    this.#callbacks = hasCallbacks(allocator) ? instance + BigInt(INSTANCE.allocator) : 0n;
    if (this.#callbacks !== 0n) copyCallbacks(allocator, this.#callbacks);
  }

  /** Allocates zeroed memory, a multiple of 8 bytes. The caller must be inside {@linkcode unlessOutOfMemory}. */
  take(size: number): bigint {
    if (this.#callbacks !== 0n) return this.#takeGiven(size);
    const last = this.#blocks.at(-1), block = last && this.#used + size <= last.size ? last : this.#begin(size);
    const address = block.address + BigInt(this.#used);
    this.#used += ALIGNMENT * Math.ceil(size / ALIGNMENT);
    return address;
  }

  /** Frees the memory that does not belong to the application. */
  close(): void {
    for (const block of this.#blocks) block.close();
  }

  #begin(size: number): NativeBlock {
    const block = new NativeBlock(Math.max(PIECE, size));
    this.#blocks.push(block);
    this.#used = 0;
    return block;
  }

  #takeGiven(size: number): bigint {
    const head = this.#instance + BigInt(INSTANCE.memory);
    const taken = allocateThrough(this.#callbacks, "VkInstance", HEAD + size);
    if (taken === 0n) throw new OutOfHostMemory();
    poke64(taken, peek64(head));
    poke64(head, taken);
    for (let at = 8; at < HEAD + size; at += 8) poke64(taken + BigInt(at), 0n);
    return taken + BigInt(HEAD);
  }
}
