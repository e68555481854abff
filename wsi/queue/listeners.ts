import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";

/** The consumer's callbacks: IConsumerListener. */
export interface ConsumerListener {
  /** Called when a frame was queued. */
  onFrameAvailable?(frameNumber: bigint): void;
  /** Called when a queued frame replaced a frame that was not acquired. */
  onFrameReplaced?(frameNumber: bigint, replaced: bigint): void;
  /** Called when a queued frame was dropped because its time had passed. */
  onFrameDropped?(): void;
  /** Called when buffers were freed; state for these slots can be deleted. */
  onBuffersReleased?(slots: readonly number[]): void;
  /** Called when the producer disconnected. */
  onDisconnect?(): void;
  /**
   * Called when the producer finds no free buffer; the consumer releases one if it can. Returns whether the producer
   * should try again.
   */
  onProducerWaits?(): boolean;
}

/** The producer's callbacks: IProducerListener. */
export interface ProducerListener {
  /** Called when the consumer released a buffer. */
  onBufferReleased?(slot: number): void;
  /** Called when the consumer freed unused buffers. */
  onBuffersDiscarded?(slots: readonly number[]): void;
}

/** The change of a buffer's owner. */
export type BufferChange = "dequeued" | "cancelled" | "queued" | "acquired" | "dropped" | "released";

/** A buffer of a queue that has a new owner. */
export interface BufferEvent {
  /** The change. A dropped frame was queued, and was not acquired. */
  readonly change: BufferChange;
  /** Number of the buffer's slot. */
  readonly slot: number;
  /** The frame in the buffer, from 1. For `dequeued` and `cancelled`, the frame that the buffer had before, or 0. */
  readonly frame: bigint;
  /** The buffer. Its owners stay as they are. */
  readonly buffer: GraphicBuffer;
}

/** An observer of the buffers of a queue, such as a trace. Must not throw. */
export interface QueueWatcher {
  /** Called after each change. */
  onBuffer?(event: BufferEvent): void;
  /** Called when a frame was on the display, with the time in CLOCK_MONOTONIC nanoseconds. */
  onPresented?(frame: bigint, when: bigint): void;
}
