import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { SCALING_MODE, STATUS, WINDOW_API } from "../../../wsi/android_values.ts";
import type { Window } from "../../../wsi/contract/window.ts";
import { takeFree } from "../../../wsi/window/cpu_window.ts";
import { FORMAT, type Rect } from "../../types.ts";

/**
 * Shows what a panel shows in a window: of a screen, of a web page, or one that
 * writes files. A window whose consumer holds all buffers misses frames rather
 * than hold up the panel.
 */
export class WindowOutput {
  readonly #window: Window;
  #isOpen = true;

  /** Connects to the window. Throws a `RangeError` for one that somebody draws into already. */
  constructor(window: Window) {
    this.#window = window;
    const status = window.apiConnect(WINDOW_API.CPU);
    if (status !== STATUS.OK) {
      throw new RangeError(
        `Cannot show a panel in this window: connecting ended with ${status}; give one that nobody uses`,
      );
    }
    window.setBuffersFormat(FORMAT.RGBA_8888);
    window.setUsage(USAGE.CPU_WRITE_OFTEN | USAGE.CPU_READ_OFTEN);
    window.setScalingMode(SCALING_MODE.SCALE_TO_WINDOW);
    window.setDequeueTimeout(0n);
  }

  /** Shows one frame of a panel of a size, at a time. Returns whether the window took it. */
  show({ right, bottom }: Rect, time: bigint, compose: (into: GraphicBuffer) => void): boolean {
    if (!this.#isOpen || this.#window.setBuffersDimensions(right, bottom) !== STATUS.OK) return false;
    const buffer = takeFree(this.#window);
    if (!buffer) return false;
    try {
      compose(buffer);
    } catch (error) {
      this.#window.cancelBuffer(buffer, NativeFence.signaled());
      throw error;
    }
    this.#window.setBuffersTimestamp(time);
    return this.#window.queueBuffer(buffer, NativeFence.signaled()) === STATUS.OK;
  }

  /** Lets go of the window. A second call does nothing. */
  close(): void {
    if (this.#isOpen) this.#window.apiDisconnect(WINDOW_API.CPU);
    this.#isOpen = false;
  }
}
