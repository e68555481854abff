import type { FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow, type NativeWindowOptions } from "../../../wsi/window/native_window.ts";
import { dequeue } from "../window/taker.ts";

/** Writes pixels, rows so many bytes apart. */
export type Paint = (bytes: Uint8Array, rowPitch: number) => void;

/** A producer that draws into a window with the processor. */
export class Producer implements Disposable {
  readonly window: NativeWindow;
  #queued = 0;

  /** Opens a window of a consumer, 16 by 8 pixels unless told otherwise. */
  constructor(consumer: FrameConsumer, { buffers = 3, ...options }: NativeWindowOptions & { buffers?: number } = {}) {
    this.window = new NativeWindow({ ...(consumer.size ?? { width: 16, height: 8 }), ...options, consumer });
    this.window.apiConnect(2);
    this.window.setBufferCount(buffers);
    this.window.setDequeueTimeout(0n);
  }

  /** Draws a frame; answers its number. Throws when no buffer is free, as it would wait for ever then. */
  draw(paint: Paint, fence: NativeFence = NativeFence.signaled()): number {
    const { buffer, fence: free } = dequeue(this.window);
    free.close();
    paint(buffer.lock(), buffer.rowPitch);
    buffer.unlock();
    const status = this.window.queueBuffer(buffer, fence);
    if (status !== 0) throw new Error(`queueBuffer says ${status}`);
    return ++this.#queued;
  }

  /** Draws a frame of one colour, in bytes of a pixel. */
  fill(...pixel: number[]): number {
    return this.draw((bytes) => bytes.forEach((_, at) => bytes[at] = pixel[at % pixel.length]));
  }

  [Symbol.dispose](): void {
    this.window.close();
  }
}
