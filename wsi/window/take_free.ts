import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { Window } from "../contract/window.ts";

/**
 * Takes a buffer of a window that can be drawn into at once; `undefined` if every buffer is in use or still read. For
 * producers that prefer to drop a frame rather than wait. The window's dequeue timeout must be 0.
 */
export function takeFree(window: Window): GraphicBuffer | undefined {
  const dequeued = window.dequeueBuffer();
  if (typeof dequeued === "number") return undefined;
  const { buffer, fence } = dequeued;
  if (fence.poll()) {
    fence.close();
    return buffer;
  }
  window.cancelBuffer(buffer, fence);
  return undefined;
}
