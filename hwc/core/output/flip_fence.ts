import { closeDescriptor, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import { createSocketPair } from "../../../ffi/file/unix_socket.ts";
import { isOver, timeOver } from "../../../wsi/fence/careful_fence.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";
import type { FenceSource } from "../../../wsi/fence/fence_source.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";

/** Brings what a flip waits for forward; whether it is worth to ask again. */
export type Drive = (nanoseconds: bigint) => boolean;

/**
 * The common source of a flip's fences. A wait on this thread drives the frames: nobody else would, until the kernel
 * has the frame and a fence for its flip.
 */
export class Flip implements FenceSource {
  readonly #drive: Drive;
  #time: bigint | undefined;
  /** The kernel's fence of the flip, once the kernel has the frame. */
  #kernel: NativeFence | undefined;
  #events: number[] = [];
  readonly #fence = NativeFence.of(this);

  /** Not yet. */
  constructor(drive: Drive) {
    this.#drive = drive;
  }

  /** Whether nobody else brings it about. */
  get isDriven(): boolean {
    return this.#kernel === undefined;
  }

  /** The time of the flip. */
  get signalTime(): bigint | undefined {
    return this.#time ?? (this.#kernel && timeOver(this.#kernel));
  }

  /** A fence of its own for somebody: the kernel's, if the kernel has the frame. */
  fence(): NativeFence {
    return (this.#kernel ?? this.#fence).dup();
  }

  /** The kernel has the frame, and signals this fence with the flip. Takes over the fence. */
  handOver(fence: NativeFence): void {
    this.#kernel = fence;
  }

  /** Signals all fences: the flip happens now. */
  signal(time: bigint): void {
    if (this.#time !== undefined) return;
    this.#time = time;
    for (const event of this.#events) {
      signalEvent(event, time);
      closeDescriptor(event);
    }
    this.#events = [];
    this.#kernel?.close();
    this.#kernel = undefined;
    this.#fence.poll(); // fences that are asked for from now on know the time, too; it is closed with that
  }

  /** Whether the flip has happened. */
  poll(): boolean {
    if (this.#time === undefined) this.#drive(0n);
    return this.#time !== undefined || (this.#kernel !== undefined && isOver(this.#kernel));
  }

  /** Waits, as long as time passes by itself. */
  wait(nanoseconds: bigint): boolean {
    while (!this.poll()) {
      if (nanoseconds <= 0n || !this.#drive(nanoseconds)) return this.signalTime !== undefined;
      // The drive sleeps for a part of a vsync at most; for ever is as good as the fence timeout.
      if (nanoseconds < FOREVER) nanoseconds -= SLICE;
    }
    return true;
  }

  /**
   * The kernel's fence, or a socket that is signalled with the flip, and by the kernel when this process dies: a client
   * in another one must not wait for ever.
   */
  toDescriptor(): number {
    const known = this.#kernel?.dup().take() ?? -1;
    if (known >= 0) return known;
    const pair = createSocketPair();
    if (!pair) throw noDescriptor("a present fence");
    const [event, kept] = pair;
    if (this.#time === undefined) this.#events.push(kept);
    else {
      signalEvent(kept, this.#time);
      closeDescriptor(kept);
    }
    return event;
  }

  /** For messages. */
  describe(): string {
    return this.#kernel?.describe() ?? "a flip";
  }
}

/** The longest sleep of a drive, in nanoseconds. */
export const SLICE = 1_000_000n;
const FOREVER = 2n ** 64n - 1n;
