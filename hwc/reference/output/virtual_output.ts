import { dropBuffer } from "../../../wsi/queue/buffer_hold.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { isOver } from "../../../wsi/fence/careful_fence.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { Alarm } from "../time/alarm.ts";
import type { Clock } from "../time/clock.ts";
import { Flip, SLICE } from "./flip_fence.ts";

/** A frame of a virtual display. */
export interface VirtualFrame {
  /** Waited for before anything is written; the frame owns them. */
  readonly fences: NativeFence[];
  /** Held until it is written. */
  readonly buffers: readonly GraphicBuffer[];
  /** Signalled when the frame is written. */
  readonly flip: Flip;
  /** When it came. */
  readonly queued: bigint;
  /** Writes it. */
  write(): void;
}

/** How often pending fences are polled, in nanoseconds. */
const LOOK = 1_000_000n;

/** Writes the frames of a virtual display in their order, each as soon as its fences have signalled. */
export class VirtualOutput {
  readonly #clock: Clock;
  readonly #timeout: bigint;
  readonly #alarm: Alarm;
  #pending: VirtualFrame[] = [];

  /** `timeout`: nanoseconds after which a fence is given up. */
  constructor(clock: Clock, timeout: bigint) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#alarm = new Alarm(clock, () => this.update());
  }

  /** A new flip, whose fences drive this. */
  newFlip(): Flip {
    return new Flip((nanoseconds) => {
      if (nanoseconds > 0n && !this.#clock.sleep(nanoseconds < SLICE ? nanoseconds : SLICE)) return false;
      this.update();
      return true;
    });
  }

  /** Takes a frame, and writes it at once if no fence is pending. */
  queue(frame: VirtualFrame): void {
    this.#pending.push(frame);
    this.update();
  }

  /** Writes the frames that are ready. */
  update(): void {
    const now = this.#clock.now();
    while (this.#pending.length > 0 && this.#isReady(this.#pending[0], now)) {
      const frame = this.#pending.shift()!;
      try {
        frame.write();
      } finally {
        this.#end(frame, now);
      }
    }
    if (this.#pending.length === 0) this.#alarm.clear();
    else this.#alarm.set(now + LOOK);
  }

  /** Writes no more; who waits is let go. */
  close(): void {
    for (const frame of this.#pending.splice(0)) this.#end(frame, this.#clock.now());
    this.#alarm.clear();
  }

  #isReady({ fences, queued }: VirtualFrame, now: bigint): boolean {
    while (fences.length > 0 && isOver(fences[0])) fences.shift()!.close();
    return fences.length === 0 || now - queued >= this.#timeout;
  }

  #end({ fences, flip, buffers }: VirtualFrame, now: bigint): void {
    for (const fence of fences.splice(0)) fence.close();
    flip.signal(now);
    for (const buffer of buffers) dropBuffer(buffer);
  }
}
