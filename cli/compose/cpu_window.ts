import type { SurfaceLayer } from "../../hwc/mod.ts";
import { takeFree } from "../../wsi/window/take_free.ts";
import { type GraphicBuffer, NativeFence, type NativeWindow, USAGE } from "../../wsi/mod.ts";

const API_CPU = 2;

/** Draws into a layer's window with the processor. Frames for which no buffer is free are left out. */
export class CpuWindow {
  readonly #window: NativeWindow;

  /** Takes a layer with a window in which no other producer draws. */
  constructor({ window }: SurfaceLayer) {
    this.#window = window!;
    this.#window.apiConnect(API_CPU);
    this.#window.setUsage(USAGE.CPU_WRITE_OFTEN | USAGE.CPU_READ_OFTEN);
    this.#window.setDequeueTimeout(0n);
  }

  /** Draws a frame; whether there was a buffer. */
  draw(paint: (buffer: GraphicBuffer) => void): boolean {
    const buffer = takeFree(this.#window);
    if (!buffer) return false;
    paint(buffer);
    return this.#window.queueBuffer(buffer, NativeFence.signaled()) === 0;
  }
}

/** Returns the pixels of a locked RGBA buffer as words, and the number of words from one row to the next. */
export function drawWords(buffer: GraphicBuffer, paint: (words: Uint32Array, stride: number) => void): void {
  const bytes = buffer.lock();
  paint(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2), buffer.stride);
  buffer.unlock();
}

/** A premultiplied RGBA pixel of channels 0 to 1. */
export function pixel(red: number, green: number, blue: number, alpha: number = 1): number {
  const byte = (value: number) => Math.round(255 * Math.max(0, Math.min(1, value * alpha)));
  return (byte(red) | byte(green) << 8 | byte(blue) << 16 | Math.round(255 * alpha) << 24) >>> 0;
}
