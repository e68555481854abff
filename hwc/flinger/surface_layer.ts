import { object, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { NativeWindow } from "../../wsi/window/native_window.ts";
import { type LayerState, STATE_RULES } from "./layer_state.ts";

/** A frame that a layer took from its producer: when, in CLOCK_MONOTONIC nanoseconds. */
export interface LatchedFrame {
  /** Its number. */
  readonly number: bigint;
  /** The number of its buffer. */
  readonly buffer: bigint;
  /** When it was queued; when it is wanted, if its producer said so and that was before it was taken. */
  readonly queued: bigint;
  /** When its acquire fence signalled, as far as that is known. */
  readonly drawn: bigint | undefined;
}

/** A layer of a {@linkcode SurfaceFlinger}: what a client has of it. */
export interface SurfaceLayer extends Disposable {
  /** For reports. */
  readonly name: string;
  /** Where a producer draws: a swapchain, or a script; `undefined` for a layer of a colour, or of a queue that was given. */
  readonly window: NativeWindow | undefined;
  /** As the last wake found it. */
  readonly state: LayerState;
  /** The number of the frame it shows; `undefined` before the first. */
  readonly frameNumber: bigint | undefined;
  /** The last frames it took, the newest at the end: four at most. */
  readonly latched: readonly LatchedFrame[];
  /** A transaction of one layer, applied. Throws a `RangeError` for what cannot be. */
  set(change: Partial<LayerState>): void;
  /** Moves a cursor: without a frame where it has a plane, else as {@linkcode SurfaceLayer.set} does. */
  moveCursor(x: number, y: number): void;
  /** Takes it away, ends its window. A second call does nothing. */
  close(): void;
}

/** Where a layer's buffers come from. */
export interface LayerOptions extends Partial<LayerState> {
  /** For reports. */
  readonly name?: string;
  /** A window of this size; without one and without a queue, the layer has no buffers. */
  readonly window?: {
    readonly width: number;
    readonly height: number;
    /** HAL format of buffers that are asked for without one. Default RGBA_8888. */
    readonly format?: number;
    /** Usage bits that its buffers must have. Default: CPU_READ_OFTEN and COMPOSER_OVERLAY. */
    readonly usage?: bigint;
    /** Most buffers there may be. Default 64. */
    readonly maxBufferCount?: number;
  };
  /** A queue whose consumer the layer is from now on. */
  readonly queue?: import("../../wsi/queue/buffer_queue.ts").BufferQueue;
}

/** Which options of a new layer there are, and what fits. */
export const LAYER_RULES: OptionRules<LayerOptions> = {
  ...STATE_RULES,
  name: typed("a text", "string"),
  window: object("an object of width and height"),
  queue: object("a BufferQueue"),
};
