import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { Frame, FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import type { DequeuedBuffer, Window } from "../../../wsi/contract/window.ts";
import { got } from "../got.ts";

/** A consumer that takes each frame at once, remembers it and gives it back. */
export function taker(more: Partial<FrameConsumer> = {}): FrameConsumer & { readonly seen: Frame[] } {
  const seen: Frame[] = [];
  return {
    seen,
    attach() {},
    onFrame(source) {
      const frame = source.acquire();
      if (!frame) return;
      seen.push(frame);
      frame.release();
    },
    ...more,
  };
}

/** A dequeued buffer. Throws when there is none. */
export function dequeue(from: Window): DequeuedBuffer {
  return got(from.dequeueBuffer());
}

/** Dequeues and queues a buffer, drawn when the fence is signalled. Throws when either fails. */
export function draw(to: Window, drawn: NativeFence = NativeFence.signaled()): void {
  const { buffer, fence } = dequeue(to);
  fence.close();
  const status = to.queueBuffer(buffer, drawn);
  if (status !== 0) throw new Error(`queueBuffer says ${status}`);
}
