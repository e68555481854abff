import type { Frame, FrameSource } from "../contract/frame_consumer.ts";

/**
 * What every consumer here does with a frame: takes the oldest queued one, waits
 * until it is drawn, and hands it to `show`, whose it is from then on: it
 * releases the frame now or later. If `show` throws, the frame is released here
 * and the error goes on. `false` when there is none to take.
 */
export function latch(source: FrameSource, show: (frame: Frame) => void): boolean {
  const frame = source.acquire();
  if (!frame) return false;
  try {
    frame.fence.wait();
    show(frame);
  } catch (error) {
    frame.release();
    throw error;
  }
  return true;
}

/** The same with every frame that can be taken. */
export function latchAll(source: FrameSource, show: (frame: Frame) => void): void {
  while (latch(source, show));
}
