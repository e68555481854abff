import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Cta8613, Rect, Smpte2086 } from "../contract/window.ts";

/** The producer's properties of a frame to queue. */
export interface QueueInput {
  /** Signalled when the frame is drawn; the queue consumes the fence. */
  readonly fence: NativeFence;
  /** The time at which the frame is to be on the display, in CLOCK_MONOTONIC nanoseconds; `undefined` for now. */
  readonly timestamp?: bigint;
  /** `android_dataspace`; 0 means the consumer's default. Default 0. */
  readonly dataspace?: number;
  /** The part of the buffer that is shown; empty for the whole buffer. */
  readonly crop?: Rect;
  /** One of `SCALING_MODE`. Default `SCALING_MODE.FREEZE`. */
  readonly scalingMode?: number;
  /** One of `TRANSFORM`. Default `TRANSFORM.NONE`. */
  readonly transform?: number;
  /** The parts that changed since the previous frame; none for everything. */
  readonly damage?: readonly Rect[];
  /** HDR metadata by SMPTE 2086. */
  readonly smpte2086?: Smpte2086;
  /** HDR metadata by CTA 861.3. */
  readonly cta8613?: Cta8613;
}

/** A queued frame: the producer's properties and the buffer. */
export interface BufferItem {
  /** The slot in the queue. */
  readonly slot: number;
  /** The buffer, held by the item. */
  readonly buffer: GraphicBuffer;
  /** The fence, owned by the item. */
  readonly fence: NativeFence;
  /** Counts from 1. */
  readonly frameNumber: bigint;
  /** The time at which the frame is to be on the display, in CLOCK_MONOTONIC nanoseconds. */
  readonly timestamp: bigint;
  /** Whether the timestamp is the time of queueing. */
  readonly isAutoTimestamp: boolean;
  /** `android_dataspace`. */
  readonly dataspace: number;
  /** The part of the buffer that is shown. */
  readonly crop: Rect;
  /** NATIVE_WINDOW_SCALING_MODE_… value. */
  readonly scalingMode: number;
  /** Without NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY. */
  readonly transform: number;
  /** Whether the display's own rotation is undone. */
  readonly transformToDisplayInverse: boolean;
  /** The parts that changed since the previous frame; empty for everything. */
  readonly damage: readonly Rect[];
  /** HDR metadata by SMPTE 2086. */
  readonly smpte2086: Smpte2086 | undefined;
  /** HDR metadata by CTA 861.3. */
  readonly cta8613: Cta8613 | undefined;
  /** Whether a newer frame may replace this frame. */
  readonly isDroppable: boolean;
  /** Whether the frame is shown again at each refresh: the shared buffer. */
  readonly autoRefresh: boolean;
  /** Whether the slot has been given to another producer, because this frame's producer disconnected. */
  isStale: boolean;
}

/** An empty rectangle: the whole buffer, or no information. */
export const NO_RECT: Rect = { left: 0, top: 0, right: 0, bottom: 0 };
