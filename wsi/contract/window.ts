import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Status } from "../android_values.ts";

/** The provider of VK_ANDROID_native_buffer for drawing into a window. */
export interface NativeBufferUse {
  /** The driver's own, or the one that this library provides for drivers without. */
  readonly of: "driver" | "provided";
  /** For the provided one, where images have their pixels; on `"staging"` every frame is copied. */
  readonly tier?: "optimal" | "linear" | "dma-buf" | "staging";
}

/** The values that a window can be queried for (NATIVE_WINDOW_… of `window.h`). */
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
  /** CIE 1931 chromaticity of the green primary. */
  readonly green: { readonly x: number; readonly y: number };
  /** CIE 1931 chromaticity of the blue primary. */
  readonly blue: { readonly x: number; readonly y: number };
  /** CIE 1931 chromaticity of the white point. */
  readonly white: { readonly x: number; readonly y: number };
  /** Maximum luminance in cd/m². */
  readonly maxLuminance: number;
  /** Minimum luminance in cd/m². */
  readonly minLuminance: number;
}

/** HDR metadata by CTA 861.3, in cd/m². */
export interface Cta8613 {
  /** Luminance of the brightest pixel of all frames. */
  readonly maxContentLightLevel: number;
  /** Average luminance of the brightest frame. */
  readonly maxFrameAverageLightLevel: number;
}

/** A rectangle in buffer pixels, `right` and `bottom` exclusive. */
export interface Rect {
  /** First column. */
  readonly left: number;
  /** First row, counted from the top. */
  readonly top: number;
  /** The column after the last. */
  readonly right: number;
  /** The row after the last. */
  readonly bottom: number;
}

/**
 * The times of a frame, in CLOCK_MONOTONIC nanoseconds; `PENDING` (-2n) for a time that is not known yet, `INVALID`
 * (-1n) for one that never will be.
 */
export interface FrameTimestamps {
  /** The time at which the producer wants the frame on the display. */
  readonly requestedPresent: bigint;
  /** The time at which the producer's fence was signalled. */
  readonly acquire: bigint;
  /** The time at which the consumer acquired the frame. */
  readonly latch: bigint;
  /** The time at which the consumer first began to compose the frame. */
  readonly firstRefreshStart: bigint;
  /** The time at which the consumer last began to compose the frame. */
  readonly lastRefreshStart: bigint;
  /** The time at which the GPU finished the composition. */
  readonly gpuCompositionDone: bigint;
  /** The time at which the frame was on the display. */
  readonly displayPresent: bigint;
  /** The time at which the frame's buffer could be dequeued again. */
  readonly dequeueReady: bigint;
  /** The time at which the consumer released the frame's buffer. */
  readonly release: bigint;
}

/** A dequeued buffer with the fence to wait for before writing. The caller closes the fence or passes it on. */
export interface DequeuedBuffer {
  /** The buffer. */
  readonly buffer: GraphicBuffer;
  /** The fence to wait for before writing. */
  readonly fence: NativeFence;
}

/**
 * The producer's side of a window, with the functions of ANativeWindow; a swapchain draws into it. Functions return a
 * status unless stated otherwise; queries return a negative status for an error. queueBuffer and cancelBuffer always
 * consume their fence, even on failure.
 */
export interface Window {
  /** The address of an ANativeWindow, or a value in its place, for `VkAndroidSurfaceCreateInfoKHR.window`. */
  readonly address: bigint;
  /** Takes a reference, like ANativeWindow_acquire. */
  acquire(): void;
  /** Drops a reference. */
  release(): void;
  /** native_window_api_connect; `api` is one of `WINDOW_API`. */
  apiConnect(api: number): Status;
  /** native_window_api_disconnect: releases all buffers. */
  apiDisconnect(api: number): Status;
  /** Returns a value, or a negative status. */
  query(what: Exclude<WindowQuery, "CONSUMER_USAGE_BITS">): number;
  /** Returns the consumer's usage bits, or a status. */
  consumerUsage(): bigint | Status;
  /** 0 for the highest rate, at which frames may be dropped; otherwise 1. */
  setSwapInterval(interval: number): Status;
  /** native_window_set_dequeue_timeout, in nanoseconds; a negative value waits for ever. */
  setDequeueTimeout(timeout: bigint): Status;
  /** Sets whether producer and consumer share one buffer. */
  setSharedBufferMode(shared: boolean): Status;
  /** Sets whether a shared buffer is shown at each refresh, even without being queued. */
  setAutoRefresh(on: boolean): Status;
  /** Sets the format of the next buffers, one of `FORMAT`. */
  setBuffersFormat(format: number): Status;
  /** Sets the dataspace of the next frames, such as one of `DATASPACE`. */
  setBuffersDataspace(dataspace: number): Status;
  /** Sets the size of the next buffers; 0, 0 restores the window's default. */
  setBuffersDimensions(width: number, height: number): Status;
  /** Sets the transform of the next frames, one of `TRANSFORM`, joined with NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY (8) or not. */
  setBuffersTransform(transform: number): Status;
  /** Sets how frames of another size fill the window, one of `SCALING_MODE`. */
  setScalingMode(mode: number): Status;
  /** Sets the number of buffers, including those of the consumer. */
  setBufferCount(count: number): Status;
  /** Sets the gralloc usage bits of the next buffers. */
  setUsage(usage: bigint): Status;
  /** Sets when the next buffer is to be on the display, in nanoseconds; `AUTO` (-2^63) means the time of queueing. */
  setBuffersTimestamp(timestamp: bigint): Status;
  /** Sets the damage of the next buffer; an empty list means that everything changed. */
  setSurfaceDamage(rects: readonly Rect[]): Status;
  /** Sets SMPTE 2086 metadata of the next frames; `undefined` for none. */
  setBuffersSmpte2086(metadata: Smpte2086 | undefined): Status;
  /** Sets CTA 861.3 metadata of the next frames; `undefined` for none. */
  setBuffersCta8613(metadata: Cta8613 | undefined): Status;
  /** Returns the nanoseconds of one refresh, or a negative status. */
  refreshCycleDuration(): bigint;
  /** Turns the timestamps of frames on or off. */
  enableFrameTimestamps(on: boolean): Status;
  /** Returns the number of the next queued frame. */
  nextFrameId(): bigint;
  /**
   * Returns a frame's timestamps, or a status: INVALID_OPERATION if timestamps are off, BAD_VALUE (-22) for a frame
   * that is too old.
   */
  frameTimestamps(frame: bigint): FrameTimestamps | Status;
  /** Makes the consumer show the queued frames without returning to the event loop, if the consumer can. */
  pump?(): void;
  /** Returns a buffer, or a status. */
  dequeueBuffer(): DequeuedBuffer | Status;
  /** Records whose native buffers a swapchain uses, for {@linkcode WindowStatistics}. */
  noteNativeBuffers?(used: NativeBufferUse): void;
  /** Queues a buffer for the consumer; its pixels are complete once the fence is signalled. */
  queueBuffer(buffer: GraphicBuffer, fence: NativeFence): Status;
  /** Returns a buffer unused. */
  cancelBuffer(buffer: GraphicBuffer, fence: NativeFence): Status;
}
