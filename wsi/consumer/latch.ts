import type { Frame, FrameSource } from "../contract/frame_consumer.ts";

/**
 * Takes the oldest queued frame, waits until the frame is drawn, and hands it
 * to `show`. From then on `show` owns the frame, and releases it now or later;
 * if `show` throws, the frame is released here and the error goes on. Returns
 * `false` if no frame is queued.
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
