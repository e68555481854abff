import type { Frame, FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import { monotonicNow } from "../../ffi/file/file_descriptor.ts";

/** Gives every frame back at once, unseen: for benchmarks, and for programs that only want to draw. */
export class DroppingConsumer implements FrameConsumer {
  /** Nobody reads the pixels. */
  readonly usage = 0n;
  #dropped = 0;

  /** How many frames came. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Nothing to prepare. */
  attach(): void {}

  /** Gives all frames back. Whoever gets a buffer next waits for its last drawing himself. */
  onFrame(source: FrameSource): void {
    for (let frame: Frame | undefined; (frame = source.acquire());) {
      this.#dropped++;
      const { number } = frame;
      frame.release(frame.fence.dup());
      source.presented(number, monotonicNow());
    }
  }

  /** The same. */
  pump(source: FrameSource): void {
    this.onFrame(source);
  }
}

/** A consumer that releases each frame at once, without looking and without waiting for it. */
export function droppingConsumer(): DroppingConsumer {
  return new DroppingConsumer();
}
