import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Cta8613, Rect, Smpte2086 } from "./window.ts";

/** A queued buffer that a consumer has acquired and not yet released. */
export interface Frame {
  /** The buffer; its pixels are complete when the fence is signalled. */
  readonly buffer: GraphicBuffer;
  /** The producer's fence; the frame owns the fence. */
  readonly fence: NativeFence;
  /** Counts from 1. */
  readonly number: bigint;
  /** The time at which the frame is to be on the display, in CLOCK_MONOTONIC nanoseconds. */
  readonly timestamp: bigint;
  /** `android_dataspace`. */
  readonly dataspace: number;
  /** The turn to show it by, one of `TRANSFORM`. */
  readonly transform: number;
  /** One of `SCALING_MODE`. */
  readonly scalingMode: number;
  /** The part of the buffer to show. */
  readonly crop: Rect;
  /** The parts that changed since the previous frame; empty for everything. */
  readonly damage: readonly Rect[];
  /** HDR metadata by SMPTE 2086, if there are any. */
  readonly smpte2086?: Smpte2086;
  /** HDR metadata by CTA 861.3, if there are any. */
  readonly cta8613?: Cta8613;
  /**
   * Releases the buffer. The producer can write the buffer once the fence is signalled; the fence is consumed. Default:
   * at once. A second call does nothing.
   */
  release(fence?: NativeFence): void;
}

/** The frame that a consumer wants to acquire. */
export interface FrameRequest {
  /**
   * The time of the next refresh, in CLOCK_MONOTONIC nanoseconds; frames that would be late are dropped. Default: the
   * oldest frame is acquired.
   */
  readonly expectedPresent?: bigint;
  /**
   * Acquires frames for which producers set no time, whatever the time is, as Android does from 12 on. On a clock that
   * was stopped, such frames would otherwise seem too early. Default `false`.
   */
  readonly autoIsDue?: boolean;
  /** Leaves a frame that is not drawn yet in the queue, where a newer frame may replace it. Default `false`. */
  readonly onlyDrawn?: boolean;
}

/** The consumer's side of a window. */
export interface FrameSource {
  /** The window's width in pixels, as producers see it. */
  readonly width: number;
  /** The window's height in pixels, as producers see it. */
  readonly height: number;
  /**
   * Acquires the oldest queued frame; `undefined` if there is none, if the maximum number is acquired, or if the oldest
   * frame does not fit the request.
   */
  acquire(request?: FrameRequest): Frame | undefined;
  /** Number of queued frames. */
  readonly pending: number;
  /** Whether the producer waits for a buffer if none is free. Default `true`; `false` for a dequeue timeout of 0. */
  readonly producerWaits?: boolean;
  /** Gives producers another size from the next buffer on, for example when a window is resized. */
  resize(width: number, height: number): void;
  /** Ends the window: producers get errors from now on. */
  abandon(): void;
  /** Reports when a frame was on the display, in CLOCK_MONOTONIC nanoseconds, for frame timestamps and present wait. */
  presented(number: bigint, when: bigint): void;
}

/** A consumer that shows or keeps the frames of a window. */
export interface FrameConsumer {
  /** Usage bits that the window's buffers must have. Default: CPU_READ_OFTEN. */
  readonly usage?: bigint;
  /** The most frames that the consumer holds at a time. Default 1. */
  readonly maxAcquired?: number;
  /** The preferred size, for consumers with a size of their own. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Called once, when the window is created. */
  attach(source: FrameSource): void;
  /**
   * Called when a frame is queued, by queueBuffer, on its thread. The consumer may acquire and release frames at once.
   */
  onFrame(source: FrameSource): void;
  /**
   * Called when a producer waits for a free buffer. The consumer releases a buffer without returning to the event loop,
   * if possible.
   */
  pump?(source: FrameSource): void;
  /** Called when the window is closed. The consumer must release the frames that it holds. */
  close?(): void;
}
