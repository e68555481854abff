import { NativeBlock } from "../../ffi/block.ts";

const SIZE = 4096, ALIGNMENT = 8;

/** What a call across hwcomposer2.h needs beside its arguments: memory while it runs, and what is done after it. */
export class Call {
  readonly #blocks: NativeBlock[] = [];
  readonly #afterwards: ((succeeded: boolean) => void)[] = [];
  #free = 0n;
  #left = 0;

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
    for (const block of this.#blocks) block.close();
  }

  #refill(size: number): void {
    const block = new NativeBlock(size);
    this.#blocks.push(block);
    this.#free = block.address;
    this.#left = size;
  }
}
