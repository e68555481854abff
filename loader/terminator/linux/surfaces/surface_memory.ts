import { NativeBlock } from "../../../../ffi/block.ts";
import { poke64 } from "../../../../ffi/machine.ts";
import { SURFACE, SURFACE_RECORD } from "../../../emit/layout.ts";
import { allocateThrough, copyCallbacks, hasCallbacks } from "../../../driver/structs/allocator.ts";
import { OutOfHostMemory } from "../instances/instance_memory.ts";

/** Offset of a surface behind its record; a multiple of 16. */
const BEHIND = 64;

/**
 * One surface of ours and its record. With an allocator, the surface is the
 * application's memory, which machine code frees when it destroys the surface.
 * The record stays, so that TypeScript can learn later what happened to the
 * surface.
 */
export class SurfaceMemory {
  /** The surface. */
  readonly address: bigint;
  readonly #record: NativeBlock;

  /** Allocates so many zeroed bytes, a multiple of 8. Throws {@linkcode OutOfHostMemory} if the allocator has none. */
  constructor(size: number, allocator: bigint) {
    const has = hasCallbacks(allocator), given = has ? allocateThrough(allocator, "VkSurfaceKHR", size) : 0n;
    if (has && given === 0n) throw new OutOfHostMemory();
    this.#record = new NativeBlock(given === 0n ? BEHIND + size : SURFACE_RECORD.size);
    this.address = given || this.record + BigInt(BEHIND);
    for (let at = 0; given !== 0n && at < size; at += 8) poke64(this.address + BigInt(at), 0n);
    if (given !== 0n) copyCallbacks(allocator, this.address + BigInt(SURFACE.allocator));
    poke64(this.address + BigInt(SURFACE.record), this.record);
    this.#record.view.setBigUint64(SURFACE_RECORD.surface, this.address, true);
  }

  /** Address of the record. */
  get record(): bigint {
    return this.#record.address;
  }

  /** Whether the surface is destroyed, by this thread or another. */
  get isGone(): boolean {
    return this.#record.view.getBigUint64(SURFACE_RECORD.surface, true) === 0n;
  }

  /** Links the record of another surface behind this one; 0n for none. */
  linkTo(next: bigint): void {
    this.#record.view.setBigUint64(SURFACE_RECORD.next, next, true);
  }

  /** Frees the loader's part. */
  close(): void {
    this.#record.close();
  }
}
