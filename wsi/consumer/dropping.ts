import type { Frame, FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import { monotonicNow } from "../../ffi/file/file_descriptor.ts";

/** A consumer that releases every frame at once without reading it, for benchmarks and for programs that only draw. */
export class DroppingConsumer implements FrameConsumer {
  /** No usage bits, since no code reads the pixels. */
  readonly usage = 0n;
  #dropped = 0;

  /** Number of frames released. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Does nothing. */
  attach(): void {}

  /** Releases all queued frames. The next producer of a buffer waits for the buffer's last drawing. */
  onFrame(source: FrameSource): void {
    for (let frame: Frame | undefined; (frame = source.acquire());) {
      this.#dropped++;
      const { number } = frame;
      frame.release(frame.fence.dup());
      source.presented(number, monotonicNow());
    }
  }

  /** Releases all queued frames. */
  pump(source: FrameSource): void {
    this.onFrame(source);
  }
}

/**
 * Creates a consumer that releases each frame at once, without reading it and without waiting for its fence.
 *
 * @example
 * ```ts
 * import { droppingConsumer, NativeWindow } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * using native = new NativeWindow({ width: 4, height: 2, consumer: droppingConsumer() });
 * assertEquals(native.statistics.queued, 0);
 * ```
 */
export function droppingConsumer(): DroppingConsumer {
  return new DroppingConsumer();
}
