import { callback, checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { BufferConsumer } from "./consumer.ts";
import type { FrameHistory } from "./frame_history.ts";
import { BufferProducer } from "./producer.ts";
import { QueueCore } from "./queue_core.ts";

/** Settings of a queue. */
export interface BufferQueueOptions {
  /** Gets a sentence when something cannot be done that a status alone does not explain. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<BufferQueueOptions> = {
  log: callback("takes a sentence"),
};

/**
 * A queue of buffers between one producer and one consumer, with the rules of
 * Android's BufferQueue: buffers lie in slots, each slot is in one hand at a
 * time, and frames come out in the order in which they went in. Everything
 * happens on one thread; nothing blocks.
 *
 * Closed by the consumer's disconnect.
 */
export class BufferQueue {
  /** The side that fills buffers. */
  readonly producer: BufferProducer;
  /** The side that takes them. */
  readonly consumer: BufferConsumer;
  /** When things happened to the last frames. */
  readonly history: FrameHistory;
  readonly #core: QueueCore;

  /** A queue with room for two buffers, without producer and consumer. */
  constructor(options: BufferQueueOptions = {}) {
    checkOptions("BufferQueue", options, RULES);
    this.#core = new QueueCore();
    this.producer = new BufferProducer(this.#core, options.log);
    this.consumer = new BufferConsumer(this.#core);
    this.history = this.#core.history;
  }

  /** Whether the consumer is gone for good. */
  get isAbandoned(): boolean {
    return this.#core.isAbandoned;
  }

  /** The API that is connected; 0 for none. */
  get connectedApi(): number {
    return this.#core.connectedApi;
  }

  /** Most buffers there may be. */
  get maxBufferCount(): number {
    return this.#core.maxBufferCount;
  }

  /** The usage bits the consumer wants. */
  get consumerUsage(): bigint {
    return this.#core.consumerUsage;
  }

  /** The producers' transform hint. */
  get transformHint(): number {
    return this.#core.transformHint;
  }

  /** The size of buffers that are asked for without one. */
  get defaultSize(): { width: number; height: number } {
    return { width: this.#core.defaultWidth, height: this.#core.defaultHeight };
  }

  /** How many slots may be used, and how many are in each state, for tests and reports. */
  count(): { usable: number; free: number; dequeued: number; queued: number; acquired: number; buffers: number } {
    const { slots, freeSlots, freeBuffers, active, dequeuedCount, acquiredCount, queue } = this.#core;
    return {
      usable: freeSlots.length + freeBuffers.length + active.size,
      free: freeSlots.length + freeBuffers.length,
      dequeued: dequeuedCount,
      queued: queue.length,
      acquired: acquiredCount,
      buffers: slots.filter((slot) => slot.buffer).length,
    };
  }
}
