import { object, type OptionRules, typed } from "../../../ffi/check_options.ts";
import type { NativeWindow } from "../../../wsi/window/native_window.ts";
import { type LayerState, STATE_RULES } from "./layer_state.ts";

/** A frame that a layer took from its producer. Times are CLOCK_MONOTONIC nanoseconds. */
export interface LatchedFrame {
  /** The frame's number, from 1. */
  readonly number: bigint;
  /** The number of the frame's buffer. */
  readonly buffer: bigint;
  /**
   * The time at which the frame was queued. If the producer asked for an earlier time than the one at which the frame
   * was taken, that time instead.
   */
  readonly queued: bigint;
  /** The time at which the acquire fence signalled, if known. */
  readonly drawn: bigint | undefined;
}

/** A layer of a {@linkcode SurfaceFlinger}, for its client. */
export interface SurfaceLayer extends Disposable {
  /** The layer's name in reports. */
  readonly name: string;
  /**
   * The window for the producer, such as a swapchain or a script; `undefined` for a layer with a colour or with a queue
   * of the caller's.
   */
  readonly window: NativeWindow | undefined;
  /** The layer's state at the last wake. */
  readonly state: LayerState;
  /** The number of the frame that the layer shows; `undefined` before the first frame. */
  readonly frameNumber: bigint | undefined;
  /** The last frames that the layer took, at most four, newest last. */
  readonly latched: readonly LatchedFrame[];
  /** Applies a transaction that changes only this layer. Throws a `RangeError` for an invalid value. */
  set(change: Partial<LayerState>): void;
  /** Moves a cursor: without a frame if the cursor has a plane, otherwise as {@linkcode SurfaceLayer.set} does. */
  moveCursor(x: number, y: number): void;
  /** Removes the layer and closes its window. A second call does nothing. */
  close(): void;
}

/** Name and source of a layer's buffers. */
export interface LayerOptions extends Partial<LayerState> {
  /** The layer's name in reports. */
  readonly name?: string;
  /** The size of a new window for the layer. A layer without `window` and `queue` has no buffers. */
  readonly window?: {
    readonly width: number;
    readonly height: number;
    /** HAL format of buffers that are requested without a format. Default RGBA_8888. */
    readonly defaultFormat?: number;
    /** Usage bits that the buffers always have. Default: CPU_READ_OFTEN and COMPOSER_OVERLAY. */
    readonly usage?: bigint;
    /** Maximum number of buffers. Default 64. */
    readonly maxBufferCount?: number;
  };
  /** A queue; the layer becomes its consumer. */
  readonly queue?: import("../../../wsi/queue/buffer_queue.ts").BufferQueue;
}

/** The options of a new layer, with the values that fit. */
export const LAYER_RULES: OptionRules<LayerOptions> = {
  ...STATE_RULES,
  name: typed("a text", "string"),
  window: object("an object of width and height"),
  queue: object("a BufferQueue"),
};
