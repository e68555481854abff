import { closeDescriptor, createEvent, duplicate, signalEvent } from "../../ffi/file_descriptor.ts";
import { WsiError } from "../../wsi/error.ts";
import type { FenceSource } from "../../wsi/fence/fence_source.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";

/** Brings what a flip waits for forward; whether it is worth to ask again. */
export type Drive = (nanoseconds: bigint) => boolean;

/**
 * What the fences of a flip have in common. Who waits for one on this thread
 * drives the simulation meanwhile: nobody else would.
 */
export class Flip implements FenceSource {
  readonly #drive: Drive;
  #time: bigint | undefined;
  #events: number[] = [];
  readonly #fence = NativeFence.of(this);

  /** Not yet. */
  constructor(drive: Drive) {
    this.#drive = drive;
  }

  /** When it was. */
  get signalTime(): bigint | undefined {
    return this.#time;
  }

  /** A fence of its own for somebody. */
  fence(): NativeFence {
    return this.#fence.dup();
  }

  /** It happens now: all fences signal. */
  signal(time: bigint): void {
    if (this.#time !== undefined) return;
    this.#time = time;
    for (const event of this.#events) {
      signalEvent(event, time);
      closeDescriptor(event);
    }
    this.#events = [];
    this.#fence.close();
  }

  /** Whether it has happened. */
  poll(): boolean {
    if (this.#time === undefined) this.#drive(0n);
    return this.#time !== undefined;
  }

  /** Waits, as long as time passes by itself. */
  wait(nanoseconds: bigint): boolean {
    while (!this.poll()) {
      if (nanoseconds <= 0n || !this.#drive(nanoseconds)) return this.#time !== undefined;
      // The drive sleeps for a part of a vsync at most; for ever is as good as the fence timeout.
      if (nanoseconds < FOREVER) nanoseconds -= SLICE;
    }
    return true;
  }

  /** An event that is signalled with the flip. */
  toDescriptor(): number {
    const event = createEvent(), kept = event < 0 ? -1 : duplicate(event);
    if (kept < 0) {
      closeDescriptor(event);
      throw new WsiError(
        "out-of-descriptors",
        "Cannot make a file descriptor for a present fence; close files, or raise ulimit -n",
      );
    }
    if (this.#time === undefined) this.#events.push(kept);
    else {
      signalEvent(kept, this.#time);
      closeDescriptor(kept);
    }
    return event;
  }

  /** For messages. */
  describe(): string {
    return "a simulated flip";
  }
}

/** How long a drive sleeps at most, in nanoseconds. */
export const SLICE = 1_000_000n;
const FOREVER = 2n ** 64n - 1n;
