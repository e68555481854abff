import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Cta8613, Rect, Smpte2086 } from "./window.ts";

/** A queued buffer that a consumer has taken, until it releases it. */
export interface Frame {
  /** The pixels; drawn when the fence is signalled. */
  readonly buffer: GraphicBuffer;
  /** The producer's fence; the frame owns it. */
  readonly fence: NativeFence;
  /** Counts from 1. */
  readonly number: bigint;
  /** When it is wanted on the display, CLOCK_MONOTONIC nanoseconds. */
  readonly timestamp: bigint;
  /** `android_dataspace`. */
  readonly dataspace: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits to show it by. */
  readonly transform: number;
  /** NATIVE_WINDOW_SCALING_MODE_… value. */
  readonly scalingMode: number;
  /** The part of the buffer to show. */
  readonly crop: Rect;
  /** What changed since the frame before; empty for everything. */
  readonly damage: readonly Rect[];
  /** HDR metadata by SMPTE 2086, if it has any. */
  readonly smpte2086?: Smpte2086;
  /** HDR metadata by CTA 861.3, if it has any. */
  readonly cta8613?: Cta8613;
  /** Gives the buffer back; it may be written again once the fence is signalled, which is consumed. Default: at once. A second call does nothing. */
  release(fence?: NativeFence): void;
}

/** Which frame a consumer wants to take. */
export interface FrameRequest {
  /** CLOCK_MONOTONIC nanoseconds of the refresh it is for; frames that would come too late for theirs are dropped. Default: whatever is oldest. */
  readonly expectedPresent?: bigint;
  /** Takes frames whose producers asked for no time whatever it is, as Android does from 12 on: on a clock that was stopped they would seem to come too early. Default `false`. */
  readonly autoIsDue?: boolean;
  /** Leave a frame in the queue that is not drawn yet, where a newer one may still take its place. Default `false`. */
  readonly onlyDrawn?: boolean;
}

/** The consumer's side of a window. */
export interface FrameSource {
  /** The window's size in pixels, as it tells producers. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Takes the oldest queued frame; `undefined` when there is none, as many are taken as may be, or the oldest is not what is asked for. */
  acquire(request?: FrameRequest): Frame | undefined;
  /** How many frames are queued. */
  readonly pending: number;
  /** Tells producers another size from the next buffer on, as when a window is resized. */
  resize(width: number, height: number): void;
  /** Ends the window: producers get errors from now on. */
  abandon(): void;
  /** Says when a frame was on the display, for frame timestamps and present wait; CLOCK_MONOTONIC nanoseconds. */
  presented(number: bigint, when: bigint): void;
}

/** What shows or keeps the frames of a window. */
export interface FrameConsumer {
  /** Usage bits that its buffers must have. Default: CPU_READ_OFTEN. */
  readonly usage?: bigint;
  /** How many frames it holds at a time. Default 1. */
  readonly maxAcquired?: number;
  /** Preferred size, for windows that have one of their own. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Called once, when the window is made. */
  attach(source: FrameSource): void;
  /** A frame was queued. Called by queueBuffer, on its thread; may acquire and release at once. */
  onFrame(source: FrameSource): void;
  /** A producer waits for a free buffer: release one without going back to the event loop, if that can be done. */
  pump?(source: FrameSource): void;
  /** The window is closed; frames still held must be released. */
  close?(): void;
}
