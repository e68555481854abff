import { NativeBlock } from "../../../ffi/block.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";

const SIZE = 4096, ALIGNMENT = 8;

/** The memory of a call across hwcomposer2.h while the call runs, and the work to do after the call. */
export class Call {
  /** Whether the callee takes fences of every kind. Others, such as kernel drivers, take sync_files alone. */
  readonly takesAnyFence: boolean;
  /** Fences that the callee got as -1, and that somebody must wait for instead. The taker closes them. */
  readonly withheld: NativeFence[] = [];
  readonly #blocks: NativeBlock[] = [];
  readonly #afterwards: ((succeeded: boolean) => void)[] = [];
  #free = 0n;
  #left = 0;

  /** Nothing is placed yet. */
  constructor(takesAnyFence = true) {
    this.takesAnyFence = takesAnyFence;
  }

  /** Native memory until the call is over, zeroed: its address. */
  place(size: number): bigint {
    const room = Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    if (room > this.#left) this.#refill(Math.max(room, SIZE));
    const address = this.#free;
    this.#free += BigInt(room);
    this.#left -= room;
    return address;
  }

  /** Runs when the call is over, and is told whether it succeeded. */
  afterwards(run: (succeeded: boolean) => void): void {
    this.#afterwards.push(run);
  }

  /** The call is over. */
  finish(succeeded: boolean): void {
    for (const run of this.#afterwards) run(succeeded);
    for (const fence of this.withheld.splice(0)) fence.close();
    for (const block of this.#blocks) block.close();
  }

  #refill(size: number): void {
    const block = new NativeBlock(size);
    this.#blocks.push(block);
    this.#free = block.address;
    this.#left = size;
  }
}
