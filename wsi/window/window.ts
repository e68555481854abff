import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Status } from "../status.ts";

/** What a window can be asked (NATIVE_WINDOW_… of `window.h`, by their names there). */
export type WindowQuery =
  | "DEFAULT_WIDTH"
  | "DEFAULT_HEIGHT"
  | "FORMAT"
  | "MIN_UNDEQUEUED_BUFFERS"
  | "MAX_BUFFER_COUNT"
  | "TRANSFORM_HINT"
  | "CONSUMER_USAGE_BITS"
  | "BUFFER_AGE"
  | "DEFAULT_DATASPACE"
  | "IS_VALID";

/** HDR metadata by SMPTE 2086: chromaticities and luminances in cd/m². */
export interface Smpte2086 {
  readonly red: { readonly x: number; readonly y: number };
  readonly green: { readonly x: number; readonly y: number };
  readonly blue: { readonly x: number; readonly y: number };
  readonly white: { readonly x: number; readonly y: number };
  readonly maxLuminance: number;
  readonly minLuminance: number;
}

/** HDR metadata by CTA 861.3, in cd/m². */
export interface Cta8613 {
  readonly maxContentLightLevel: number;
  readonly maxFrameAverageLightLevel: number;
}

/** A rectangle in buffer pixels, `right` and `bottom` exclusive. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** When things happened to a frame: CLOCK_MONOTONIC nanoseconds; `PENDING` (-2n) until it is known, `INVALID` (-1n) if it never will be. */
export interface FrameTimestamps {
  readonly requestedPresent: bigint;
  readonly acquire: bigint;
  readonly latch: bigint;
  readonly firstRefreshStart: bigint;
  readonly lastRefreshStart: bigint;
  readonly gpuCompositionDone: bigint;
  readonly displayPresent: bigint;
  readonly dequeueReady: bigint;
  readonly release: bigint;
}

/** A buffer that was dequeued and the fence to wait for before it is written, which the caller closes or passes on. */
export interface Dequeued {
  readonly buffer: GraphicBuffer;
  readonly fence: NativeFence;
}

/**
 * The producer's side of a window, as ANativeWindow has it: what a swapchain
 * draws into. Functions return a status unless they say otherwise; queries
 * return a negative status for an error. queueBuffer and cancelBuffer consume
 * their fence always, also when they fail.
 */
export interface Window {
  /** An ANativeWindow's address, or what stands for it: what `VkAndroidSurfaceCreateInfoKHR.window` holds. */
  readonly address: bigint;
  /** Takes or drops a reference, as ANativeWindow_acquire and _release do. */
  acquire(): void;
  release(): void;
  /** native_window_api_connect; api is NATIVE_WINDOW_API_EGL (1), CPU (2), MEDIA (3) or CAMERA (4). */
  apiConnect(api: number): Status;
  apiDisconnect(api: number): Status;
  /** A value, or a negative status. */
  query(what: Exclude<WindowQuery, "CONSUMER_USAGE_BITS">): number;
  /** The consumer's usage bits, or a status. */
  consumerUsage(): bigint | Status;
  setSwapInterval(interval: number): Status;
  /** native_window_set_dequeue_timeout, nanoseconds; negative waits for ever. */
  setDequeueTimeout(timeout: bigint): Status;
  setSharedBufferMode(shared: boolean): Status;
  setAutoRefresh(on: boolean): Status;
  setBuffersFormat(format: number): Status;
  setBuffersDataspace(dataspace: number): Status;
  /** 0, 0 goes back to the window's default. */
  setBuffersDimensions(width: number, height: number): Status;
  /** NATIVE_WINDOW_TRANSFORM_… bits: FLIP_H 1, FLIP_V 2, ROT_90 4. */
  setBuffersTransform(transform: number): Status;
  /** NATIVE_WINDOW_SCALING_MODE_…: FREEZE 0, SCALE_TO_WINDOW 1, SCALE_CROP 2, NO_SCALE_CROP 3. */
  setScalingMode(mode: number): Status;
  setBufferCount(count: number): Status;
  setUsage(usage: bigint): Status;
  /** Nanoseconds at which the next buffer is wanted on the display; `AUTO` (-2^63) for "when it is queued". */
  setBuffersTimestamp(timestamp: bigint): Status;
  /** Of the next buffer; none means everything changed. */
  setSurfaceDamage(rects: readonly Rect[]): Status;
  setBuffersSmpte2086(metadata: Smpte2086 | undefined): Status;
  setBuffersCta8613(metadata: Cta8613 | undefined): Status;
  /** Nanoseconds of one refresh, or a negative status. */
  refreshCycleDuration(): bigint;
  enableFrameTimestamps(on: boolean): Status;
  /** The number that the next queued frame will have. */
  nextFrameId(): bigint;
  /** What is known of a frame, or a status: INVALID_OPERATION when timestamps are off, BAD_VALUE (-22) for a forgotten frame. */
  frameTimestamps(frame: bigint): FrameTimestamps | Status;
  /** A buffer, or a status. */
  dequeueBuffer(): Dequeued | Status;
  queueBuffer(buffer: GraphicBuffer, fence: NativeFence): Status;
  cancelBuffer(buffer: GraphicBuffer, fence: NativeFence): Status;
}
