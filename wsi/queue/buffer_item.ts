import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Cta8613, Rect, Smpte2086 } from "../contract/window.ts";

/** What a producer says of the frame it queues. */
export interface QueueInput {
  /** Signalled when it is drawn; the queue consumes it. */
  readonly fence: NativeFence;
  /** CLOCK_MONOTONIC nanoseconds at which it is wanted on the display; `undefined` for now. */
  readonly timestamp?: bigint;
  /** `android_dataspace`; 0 takes the consumer's. Default 0. */
  readonly dataspace?: number;
  /** Which part of the buffer is shown; empty for all of it. */
  readonly crop?: Rect;
  /** NATIVE_WINDOW_SCALING_MODE_…, 0 to 3. Default 0 (FREEZE). */
  readonly scalingMode?: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits. Default 0. */
  readonly transform?: number;
  /** What changed since the frame before; none for everything. */
  readonly damage?: readonly Rect[];
  /** HDR metadata by SMPTE 2086. */
  readonly smpte2086?: Smpte2086;
  /** HDR metadata by CTA 861.3. */
  readonly cta8613?: Cta8613;
}

/** A queued frame: what the producer said of it, and the buffer it is in. */
export interface BufferItem {
  /** Where in the queue it is. */
  readonly slot: number;
  /** The item holds it. */
  readonly buffer: GraphicBuffer;
  /** The item owns it. */
  readonly fence: NativeFence;
  /** Counts from 1. */
  readonly frameNumber: bigint;
  /** CLOCK_MONOTONIC nanoseconds at which it is wanted on the display. */
  readonly timestamp: bigint;
  /** Whether the timestamp is the time of queueing. */
  readonly isAutoTimestamp: boolean;
  /** `android_dataspace`. */
  readonly dataspace: number;
  /** Which part of the buffer is shown. */
  readonly crop: Rect;
  /** NATIVE_WINDOW_SCALING_MODE_… value. */
  readonly scalingMode: number;
  /** Without NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY. */
  readonly transform: number;
  /** Whether the display's own rotation is to be undone. */
  readonly transformToDisplayInverse: boolean;
  /** What changed since the frame before; empty for everything. */
  readonly damage: readonly Rect[];
  /** HDR metadata by SMPTE 2086. */
  readonly smpte2086: Smpte2086 | undefined;
  /** HDR metadata by CTA 861.3. */
  readonly cta8613: Cta8613 | undefined;
  /** Whether a newer frame may take its place. */
  readonly isDroppable: boolean;
  /** Whether it comes again at each refresh: the shared buffer. */
  readonly autoRefresh: boolean;
  /** Whether its slot belongs to somebody else by now: the producer disconnected. */
  isStale: boolean;
}

/** An empty rectangle: all of it, or nothing said. */
export const NO_RECT: Rect = { left: 0, top: 0, right: 0, bottom: 0 };
