import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Status } from "../status.ts";

/** Whose VK_ANDROID_native_buffer a window is drawn into by. */
export interface NativeBufferUse {
  /** The driver's own, or the one that this library gives drivers without. */
  readonly of: "driver" | "provided";
  /** Where images have their pixels, if it is provided: on `"staging"` every frame is copied. */
  readonly tier?: "optimal" | "linear" | "staging";
}

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
  /** CIE 1931 chromaticity of the red primary. */
  readonly red: { readonly x: number; readonly y: number };
  /** That of the green primary. */
  readonly green: { readonly x: number; readonly y: number };
  /** That of the blue primary. */
  readonly blue: { readonly x: number; readonly y: number };
  /** That of the white point. */
  readonly white: { readonly x: number; readonly y: number };
  /** Brightest, cd/m². */
  readonly maxLuminance: number;
  /** Darkest, cd/m². */
  readonly minLuminance: number;
}

/** HDR metadata by CTA 861.3, in cd/m². */
export interface Cta8613 {
  /** Of the brightest pixel of all. */
  readonly maxContentLightLevel: number;
  /** Of the brightest frame, on average. */
  readonly maxFrameAverageLightLevel: number;
}

/** A rectangle in buffer pixels, `right` and `bottom` exclusive. */
export interface Rect {
  /** First column. */
  readonly left: number;
  /** First row, counted from the top. */
  readonly top: number;
  /** Column behind the last. */
  readonly right: number;
  /** Row behind the last. */
  readonly bottom: number;
}

/** When things happened to a frame: CLOCK_MONOTONIC nanoseconds; `PENDING` (-2n) until it is known, `INVALID` (-1n) if it never will be. */
export interface FrameTimestamps {
  /** When the producer wanted it on the display. */
  readonly requestedPresent: bigint;
  /** When the producer was done with it: its fence was signalled. */
  readonly acquire: bigint;
  /** When the consumer took it. */
  readonly latch: bigint;
  /** When the consumer first began to compose it. */
  readonly firstRefreshStart: bigint;
  /** When it last did. */
  readonly lastRefreshStart: bigint;
  /** When composition by the GPU was done. */
  readonly gpuCompositionDone: bigint;
  /** When it was on the display. */
  readonly displayPresent: bigint;
  /** When its buffer could be dequeued again. */
  readonly dequeueReady: bigint;
  /** When the consumer was done with its buffer. */
  readonly release: bigint;
}

/** A buffer that was dequeued and the fence to wait for before it is written, which the caller closes or passes on. */
export interface DequeuedBuffer {
  /** The buffer. */
  readonly buffer: GraphicBuffer;
  /** Wait for it before writing. */
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
  /** Drops a reference. */
  release(): void;
  /** native_window_api_connect; api is NATIVE_WINDOW_API_EGL (1), CPU (2), MEDIA (3) or CAMERA (4). */
  apiConnect(api: number): Status;
  /** native_window_api_disconnect: gives up all buffers. */
  apiDisconnect(api: number): Status;
  /** A value, or a negative status. */
  query(what: Exclude<WindowQuery, "CONSUMER_USAGE_BITS">): number;
  /** The consumer's usage bits, or a status. */
  consumerUsage(): bigint | Status;
  /** 0 for as fast as may be, in which frames may be dropped; else 1. */
  setSwapInterval(interval: number): Status;
  /** native_window_set_dequeue_timeout, nanoseconds; negative waits for ever. */
  setDequeueTimeout(timeout: bigint): Status;
  /** Whether producer and consumer share one buffer. */
  setSharedBufferMode(shared: boolean): Status;
  /** Whether a shared buffer is shown at each refresh, queued or not. */
  setAutoRefresh(on: boolean): Status;
  /** HAL_PIXEL_FORMAT of the buffers to come. */
  setBuffersFormat(format: number): Status;
  /** `android_dataspace` of the frames to come. */
  setBuffersDataspace(dataspace: number): Status;
  /** 0, 0 goes back to the window's default. */
  setBuffersDimensions(width: number, height: number): Status;
  /** NATIVE_WINDOW_TRANSFORM_… bits: FLIP_H 1, FLIP_V 2, ROT_90 4. */
  setBuffersTransform(transform: number): Status;
  /** NATIVE_WINDOW_SCALING_MODE_…: FREEZE 0, SCALE_TO_WINDOW 1, SCALE_CROP 2, NO_SCALE_CROP 3. */
  setScalingMode(mode: number): Status;
  /** How many buffers there shall be, those of the consumer among them. */
  setBufferCount(count: number): Status;
  /** Gralloc usage bits of the buffers to come. */
  setUsage(usage: bigint): Status;
  /** Nanoseconds at which the next buffer is wanted on the display; `AUTO` (-2^63) for "when it is queued". */
  setBuffersTimestamp(timestamp: bigint): Status;
  /** Of the next buffer; none means everything changed. */
  setSurfaceDamage(rects: readonly Rect[]): Status;
  /** HDR metadata of the frames to come; `undefined` for none. */
  setBuffersSmpte2086(metadata: Smpte2086 | undefined): Status;
  /** Likewise. */
  setBuffersCta8613(metadata: Cta8613 | undefined): Status;
  /** Nanoseconds of one refresh, or a negative status. */
  refreshCycleDuration(): bigint;
  /** Whether frames are kept track of. */
  enableFrameTimestamps(on: boolean): Status;
  /** The number that the next queued frame will have. */
  nextFrameId(): bigint;
  /** What is known of a frame, or a status: INVALID_OPERATION when timestamps are off, BAD_VALUE (-22) for a forgotten frame. */
  frameTimestamps(frame: bigint): FrameTimestamps | Status;
  /** Has a consumer that can do so show what is queued, without going back to the event loop. */
  pump?(): void;
  /** A buffer, or a status. */
  dequeueBuffer(): DequeuedBuffer | Status;
  /** Tells whose native buffers a swapchain draws into it by, for {@linkcode WindowStatistics}. */
  noteNativeBuffers?(used: NativeBufferUse): void;
  /** Gives a buffer to the consumer, drawn once the fence is signalled. */
  queueBuffer(buffer: GraphicBuffer, fence: NativeFence): Status;
  /** Gives a buffer back unused. */
  cancelBuffer(buffer: GraphicBuffer, fence: NativeFence): Status;
}
