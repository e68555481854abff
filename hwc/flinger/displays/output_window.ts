import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { DequeuedBuffer, Window } from "../../../wsi/contract/window.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { STATUS, WINDOW_API } from "../../../wsi/android_values.ts";
import { FORMAT } from "../../types.ts";

/**
 * The writers of a virtual display's frame: the client alone (`GLES`), client
 * and composer together (`MIXED`), or the composer alone (`HWC`).
 */
export type VirtualMode = "GLES" | "MIXED" | "HWC";

const CPU_USAGE = USAGE.CPU_READ_MASK | USAGE.CPU_WRITE_MASK;
/** The usage that renderers of either kind need. The window adds the consumer's own usage. */
const RENDERED = USAGE.CPU_WRITE_OFTEN | USAGE.CPU_READ_OFTEN | USAGE.GPU_RENDER_TARGET;
/** Milliseconds to wait for a consumer that has not read a buffer yet. */
const PATIENCE = 1000;

/** The destination of a virtual display's frames: a window's producer side. */
export class OutputWindow {
  readonly window: Window;
  /** The consumer's own format. */
  readonly format: number;
  /** The usage that the reader wants. */
  readonly usage: bigint;
  /** Whether the reader has closed the window. */
  isGone = false;
  #taken: DequeuedBuffer | undefined;
  #takenFormat = 0;

  /** Connects to the window. Throws a `RangeError` when another producer draws there. */
  constructor(window: Window, width: number, height: number) {
    const status = window.apiConnect(WINDOW_API.CPU);
    if (status !== STATUS.OK) {
      throw new RangeError(
        `Cannot show a virtual display there: status ${status}; give a window that nobody draws into`,
      );
    }
    this.window = window;
    this.format = window.query("FORMAT");
    const usage = window.consumerUsage();
    this.usage = typeof usage === "bigint" ? usage : 0n;
    window.setBuffersDimensions(width, height);
  }

  /** The format of buffers: the renderer's own where it draws them, which the consumer has to take; else the consumer's if a CPU reads it, or what gralloc makes of the usage. */
  formatFor(mode: VirtualMode): number {
    if (mode === "GLES") return FORMAT.RGBA_8888;
    return (this.usage & CPU_USAGE) !== 0n ? this.format : FORMAT.IMPLEMENTATION_DEFINED;
  }

  /** The buffer for this frame. */
  get buffer(): GraphicBuffer | undefined {
    return this.#taken?.buffer;
  }

  /** Takes a buffer for a mode, and another buffer if the format is wrong. Returns a sentence if there is no buffer. */
  take(mode: VirtualMode): GraphicBuffer | string {
    const format = this.formatFor(mode);
    if (this.#taken && this.#takenFormat === format) return this.#taken.buffer;
    this.cancel();
    this.window.setBuffersFormat(format);
    this.window.setUsage(mode === "GLES" ? RENDERED : USAGE.COMPOSER_OVERLAY);
    const taken = this.window.dequeueBuffer();
    if (typeof taken === "number") {
      this.isGone = taken === STATUS.NO_INIT;
      return this.isGone ? "the output window has ended" : `the output window has no buffer: status ${taken}`;
    }
    this.#taken = taken;
    this.#takenFormat = format;
    return taken.buffer;
  }

  /** The fence to wait for before the buffer is written; the window keeps the fence. */
  get fence(): NativeFence | undefined {
    return this.#taken?.fence;
  }

  /** Waits until the consumer has read the buffer. Returns whether it has. */
  wait(): boolean {
    return this.#taken?.fence.wait(PATIENCE) ?? false;
  }

  /** Hands the buffer over, which is written once the fence signals. The fence is consumed. */
  queue(fence: NativeFence): void {
    const taken = this.#taken;
    this.#taken = undefined;
    if (!taken) return fence.close();
    taken.fence.close();
    this.window.queueBuffer(taken.buffer, fence);
  }

  /**
   * Gives the buffer back unseen. The next writer waits for the fence, which is consumed. Default: the fence that came
   * with the buffer.
   */
  cancel(fence?: NativeFence): void {
    const taken = this.#taken;
    this.#taken = undefined;
    if (!taken) return fence?.close();
    if (fence) taken.fence.close();
    this.window.cancelBuffer(taken.buffer, fence ?? taken.fence);
  }

  /** Whether the reader wants every frame, also one in which nothing changed: an encoder's time goes on. */
  get wantsAll(): boolean {
    return (this.usage & USAGE.VIDEO_ENCODER) !== 0n;
  }

  /** Disconnects. */
  close(): void {
    this.cancel();
    this.window.apiDisconnect(WINDOW_API.CPU);
  }
}
