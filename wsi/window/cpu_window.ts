import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { USAGE } from "../buffer/usage.ts";
import type { DequeuedBuffer, Window } from "../contract/window.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { NativeWindow } from "./native_window.ts";
import { STATUS, WINDOW_API } from "../android_values.ts";

/** Buffers that are still read, of which so many are passed over in the search for a free one. */
const MOST_READ = 3;

/**
 * Takes a buffer of a window that can be drawn into at once; `undefined` if every buffer is in use or still read. For
 * producers that prefer to drop a frame rather than wait. The window's dequeue timeout must be 0. If buffers are free
 * but still read, the window gets one buffer more, up to {@linkcode MOST_READ} in all.
 */
export function takeFree(window: Window): GraphicBuffer | undefined {
  const read: DequeuedBuffer[] = [];
  try {
    while (read.length <= MOST_READ) {
      const dequeued = dequeueBeside(window, read.length);
      if (dequeued === undefined) return undefined;
      if (!dequeued.fence.poll()) {
        read.push(dequeued);
        continue;
      }
      dequeued.fence.close();
      return dequeued.buffer;
    }
    return undefined;
  } finally {
    for (const { buffer, fence } of read) window.cancelBuffer(buffer, fence);
  }
}

/** Dequeues a buffer while the producer holds `count` others; `undefined` if there is none. */
function dequeueBeside(window: Window, count: number): DequeuedBuffer | undefined {
  let dequeued = window.dequeueBuffer();
  if (dequeued === STATUS.INVALID_OPERATION && count > 0) {
    const left = window.query("MIN_UNDEQUEUED_BUFFERS");
    if (left < 0 || window.setBufferCount(left + count + 1) !== STATUS.OK) return undefined;
    dequeued = window.dequeueBuffer();
  }
  return typeof dequeued === "number" ? undefined : dequeued;
}

/**
 * Draws into a window with the processor, without waiting: the producer for scripts that paint by themselves.
 *
 * @example A red frame and a green one
 * ```ts ignore
 * import { callbackConsumer, CpuWindow, NativeWindow } from "@pumice/gfx/wsi";
 *
 * const consumer = callbackConsumer(({ number, pixels }) => console.log(number, pixels.slice(0, 4).join()));
 * using window = new NativeWindow({ width: 64, height: 64, consumer });
 * const painter = new CpuWindow(window);
 * for (const pixel of [0xff0000ff, 0xff00ff00]) painter.drawPixels((pixels) => pixels.fill(pixel));
 * ```
 */
export class CpuWindow {
  readonly #window: NativeWindow;

  /** Connects to a window in which no other producer draws; the window stays connected until it is closed. */
  constructor(window: NativeWindow) {
    this.#window = window;
    window.apiConnect(WINDOW_API.CPU);
    window.setUsage(USAGE.CPU_WRITE_OFTEN | USAGE.CPU_READ_OFTEN);
    window.setDequeueTimeout(0n);
  }

  /**
   * Draws a frame. Returns `false` without calling `paint` if no buffer is free, or if the window does not take the
   * frame.
   *
   * @param paint Paints a buffer, which may hold an earlier frame: locks, writes and unlocks. If `paint` throws, there
   *   is no frame.
   */
  draw(paint: (buffer: GraphicBuffer) => void): boolean {
    const buffer = takeFree(this.#window);
    if (!buffer) return false;
    try {
      paint(buffer);
    } catch (error) {
      this.#window.cancelBuffer(buffer, NativeFence.signaled());
      throw error;
    }
    return this.#window.queueBuffer(buffer, NativeFence.signaled()) === 0;
  }

  /**
   * Draws a frame of four bytes a pixel, as {@linkcode CpuWindow.draw} does.
   *
   * @param paint Writes the pixels. Row `y` begins at `y * stride`; `size` has width and height. In an RGBA window red is the lowest byte of a pixel.
   */
  drawPixels(
    paint: (pixels: Uint32Array, stride: number, size: { readonly width: number; readonly height: number }) => void,
  ): boolean {
    return this.draw((buffer) => {
      const bytes = buffer.lock();
      try {
        paint(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2), buffer.stride, buffer);
      } finally {
        buffer.unlock();
      }
    });
  }
}
