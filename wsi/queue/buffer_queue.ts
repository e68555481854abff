import { callback, checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { BufferConsumer } from "./consumer.ts";
import type { FrameHistory } from "./frame_history.ts";
import type { QueueWatcher } from "./listeners.ts";
import { BufferProducer } from "./producer.ts";
import { QueueCore } from "./queue_core.ts";

/** Settings of a queue. */
export interface BufferQueueOptions {
  /** Gets a sentence for a failure that a status alone does not explain. Default: no messages. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<BufferQueueOptions> = {
  log: callback("takes a sentence"),
};

/**
 * A queue of buffers between one producer and one consumer, with the rules of Android's BufferQueue: buffers are in
 * slots, each slot has one owner at a time, and frames leave in the order in which they were queued. The queue works on
 * one thread and never blocks. The consumer's disconnect closes the queue.
 */
export class BufferQueue {
  /** The side that fills buffers. */
  readonly producer: BufferProducer;
  /** The side that acquires buffers. */
  readonly consumer: BufferConsumer;
  /** The timestamps of the last frames. */
  readonly history: FrameHistory;
  readonly #core: QueueCore;

  /** Creates a queue with room for two buffers, without producer and consumer. */
  constructor(options: BufferQueueOptions = {}) {
    checkOptions("BufferQueue", options, RULES);
    this.#core = new QueueCore();
    this.producer = new BufferProducer(this.#core, options.log);
    this.consumer = new BufferConsumer(this.#core);
    this.history = this.#core.history;
  }

  /** Whether the consumer has disconnected for good. */
  get isAbandoned(): boolean {
    return this.#core.isAbandoned;
  }

  /** The API that is connected; 0 for none. */
  get connectedApi(): number {
    return this.#core.connectedApi;
  }

  /** Whether the producer waits for a buffer if none is free. */
  get producerWaits(): boolean {
    return this.#core.dequeueTimeout !== 0n;
  }

  /** Maximum number of buffers. */
  get maxBufferCount(): number {
    return this.#core.maxBufferCount;
  }

  /** The consumer's usage bits. */
  get consumerUsage(): bigint {
    return this.#core.consumerUsage;
  }

  /** The producers' transform hint. */
  get transformHint(): number {
    return this.#core.transformHint;
  }

  /** The size of buffers that are requested without a size. */
  get defaultSize(): { width: number; height: number } {
    return { width: this.#core.defaultWidth, height: this.#core.defaultHeight };
  }

  /** Calls a watcher as the buffers of the queue change hands. Returns a function that ends this. */
  watch(watcher: QueueWatcher): () => void {
    this.#core.watchers.add(watcher);
    return () => void this.#core.watchers.delete(watcher);
  }

  /** Returns the number of usable slots, and of slots in each state, for tests and reports. */
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
