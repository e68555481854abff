import { NativeBlock } from "../../../ffi/block.ts";
import { peek64, poke64 } from "../../../ffi/machine.ts";
import { INSTANCE } from "../../../ffi/member.ts";
import { allocateThrough } from "../../driver/allocator.ts";

/** Bytes of VkAllocationCallbacks. */
const CALLBACKS = 48;
/** Bytes before what is given out: the address of the allocation before, aligned. */
const HEAD = 16;
const VK_ERROR_OUT_OF_HOST_MEMORY = -1;

/** An application's allocator, or a driver, has no memory. */
export class OutOfHostMemory extends Error {}

/** What `run` returns, or VK_ERROR_OUT_OF_HOST_MEMORY if it throws {@linkcode OutOfHostMemory}. */
export function unlessOutOfMemory<T>(run: () => T): T | number {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutOfHostMemory) return VK_ERROR_OUT_OF_HOST_MEMORY;
    throw error;
  }
}

/**
 * What an instance of ours takes for as long as it lives: from the allocator
 * that the application gave for it, if it gave one. Machine code gives that
 * back when the instance is destroyed, on whatever thread.
 */
export class InstanceMemory {
  readonly #instance: bigint;
  /** A copy of the application's VkAllocationCallbacks, which may go after the command; 0n for none. */
  readonly #callbacks: bigint;
  readonly #blocks: NativeBlock[] = [];

  /** Nothing taken yet. */
  constructor(instance: bigint, allocator: bigint) {
    this.#instance = instance;
    this.#callbacks = allocator === 0n ? 0n : instance + BigInt(INSTANCE.allocator);
    if (allocator === 0n) return;
    for (let at = 0n; at < CALLBACKS; at += 8n) poke64(this.#callbacks + at, peek64(allocator + at));
  }

  /** Takes zeroed memory, a multiple of 8 bytes. Whoever calls this is inside {@linkcode unlessOutOfMemory}. */
  take(size: number): bigint {
    if (this.#callbacks !== 0n) return this.#takeGiven(size);
    const block = new NativeBlock(size);
    this.#blocks.push(block);
    return block.address;
  }

  /** Frees what is not the application's. */
  close(): void {
    for (const block of this.#blocks) block.close();
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
