import { checkOptions, object, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import type { BufferRequest } from "../buffer/check_request.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import { STATUS, type Status, WINDOW_API } from "../android_values.ts";
import { findFreeSlot, needsReallocation, tryAllocate } from "./free_slot.ts";
import { attachBuffer, detachBuffer, detachNextBuffer } from "./attach.ts";
import type { QueueInput } from "./buffer_item.ts";
import { BUFFER_SLOTS, type BufferSlot } from "./buffer_slot.ts";
import type { ProducerListener } from "./listeners.ts";
import { queueBuffer } from "./queue_buffer.ts";
import { NO_API, type QueueCore } from "./queue_core.ts";

/** The queue's state, as a producer gets it when it connects or queues. */
export interface QueueOutput {
  /** The width of buffers that are requested without a size. */
  readonly width: number;
  /** The height of buffers that are requested without a size. */
  readonly height: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits by which producers should rotate their drawing. */
  readonly transformHint: number;
  /** Number of frames that the consumer has not acquired. */
  readonly numPendingBuffers: number;
  /** The number of the next queued frame. */
  readonly nextFrameNumber: bigint;
  /** Whether the queued frame replaced a frame that was not acquired. */
  readonly bufferReplaced: boolean;
}

/** A dequeued slot. */
export interface DequeuedSlot {
  /** The slot's number. */
  readonly slot: number;
  /** Signalled when the buffer can be written; the caller owns the fence. */
  readonly fence: NativeFence;
  /** The age of its contents in frames; 0 for undefined contents. */
  readonly bufferAge: bigint;
  /**
   * Whether {@linkcode BufferProducer.requestBuffer} must be called, because the slot has another buffer than last
   * time.
   */
  readonly needsRequest: boolean;
}

/** The properties of the buffer that a producer needs; 0 means the consumer's default. */
export interface DequeueRequest {
  /** Pixels in a row. */
  readonly width?: number;
  /** Rows. */
  readonly height?: number;
  /** One of `FORMAT`. */
  readonly format?: number;
  /** Gralloc usage bits. */
  readonly usage?: bigint;
}

/** Settings of a producer's connection. */
export interface ConnectOptions {
  /** The producer's callbacks. */
  readonly listener?: ProducerListener;
  /** Whether the producer is an app. If the consumer is an app, too, dequeueing never waits. Default `false`. */
  readonly controlledByApp?: boolean;
}

const RULES: OptionRules<ConnectOptions> = {
  listener: object("a listener"),
  controlledByApp: yesOrNo,
};

const APIS: ReadonlySet<number> = new Set(Object.values(WINDOW_API));

/** Whether a slot has a buffer that meets the request. */
function fits({ buffer }: BufferSlot, request: BufferRequest): boolean {
  return buffer !== undefined && !needsReallocation(buffer, request);
}

/** The side of a queue that fills buffers: IGraphicBufferProducer. */
export class BufferProducer {
  readonly #core: QueueCore;
  readonly #log: ((message: string) => void) | undefined;

  /** Made by the queue. */
  constructor(core: QueueCore, log?: (message: string) => void) {
    this.#core = core;
    this.#log = log;
  }

  /** Returns NO_INIT without a consumer, and without a connected producer. */
  #status(): Status {
    const { isAbandoned, connectedApi } = this.#core;
    return isAbandoned || connectedApi === NO_API ? STATUS.NO_INIT : STATUS.OK;
  }

  /**
   * Connects as one of {@linkcode WINDOW_API}. Returns BAD_VALUE if a producer is connected, NO_INIT without a consumer.
   */
  connect(api: number, options: ConnectOptions = {}): QueueOutput | Status {
    checkOptions("connect()", options, RULES);
    const { listener, controlledByApp = false } = options;
    const core = this.#core;
    if (core.isAbandoned || !core.consumer) return STATUS.NO_INIT;
    if (core.connectedApi !== NO_API || !APIS.has(api)) return STATUS.BAD_VALUE;
    const bothApps = controlledByApp && core.consumerControlledByApp,
      cannotBlock = bothApps && core.dequeueTimeout < 0n;
    if (!core.recount({ dequeueCannotBlock: cannotBlock })) return STATUS.BAD_VALUE;
    core.connectedApi = api;
    core.producer = listener;
    core.hasQueued = false;
    core.queueCanDrop = bothApps && core.dequeueTimeout <= 0n;
    core.allowAllocation = true;
    return this.output(false);
  }

  /**
   * Disconnects and frees all buffers. Returns NO_INIT if no producer is connected, BAD_VALUE if another API is
   * connected.
   */
  disconnect(api: number): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.OK; // the queue has freed everything already
    if (core.connectedApi === NO_API) return STATUS.NO_INIT;
    if (core.connectedApi !== api) return STATUS.BAD_VALUE;
    const slots = core.slots.filter((slot) => slot.buffer).map((slot) => slot.index);
    core.freeAll();
    core.connectedApi = NO_API;
    core.producer = undefined;
    core.consumer?.onBuffersReleased?.(slots);
    core.consumer?.onDisconnect?.();
    return STATUS.OK;
  }

  /** Returns the queue's state, as connect and queue do. */
  output(bufferReplaced: boolean): QueueOutput {
    const { defaultWidth, defaultHeight, transformHint, queue, frameCounter } = this.#core;
    return {
      width: defaultWidth,
      height: defaultHeight,
      transformHint,
      numPendingBuffers: queue.length,
      nextFrameNumber: frameCounter + 1n,
      bufferReplaced,
    };
  }

  /**
   * Sets how many buffers the producer may have at a time. Returns BAD_VALUE if the producer has more, or if too many
   * buffers would be needed.
   */
  setMaxDequeuedBufferCount(count: number): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (count === core.maxDequeued) return STATUS.OK;
    if (core.dequeuedCount > count || count < 1) return STATUS.BAD_VALUE;
    if (core.minUndequeued + count > core.maxBufferCount) return STATUS.BAD_VALUE;
    return core.recount({ maxDequeued: count }) ? STATUS.OK : STATUS.BAD_VALUE;
  }

  /**
   * Turns mailbox mode on or off: a newer frame replaces a frame that was not acquired, which needs one more buffer.
   */
  setAsyncMode(on: boolean): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (on === core.asyncMode) return STATUS.OK;
    const isAsync = on || core.dequeueCannotBlock;
    if (core.maxAcquired + core.maxDequeued + Number(isAsync) > core.maxBufferCount) return STATUS.BAD_VALUE;
    return core.recount({ asyncMode: on }) ? STATUS.OK : STATUS.BAD_VALUE;
  }

  /**
   * Sets the time-out in nanoseconds; a negative value waits for ever. A producer that never waited before waits from
   * now on.
   */
  setDequeueTimeout(timeout: bigint): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (!core.recount({ dequeueCannotBlock: false })) return STATUS.BAD_VALUE;
    core.dequeueTimeout = timeout;
    if (timeout > 0n) core.queueCanDrop = false;
    return STATUS.OK;
  }

  /** Sets whether frames from an app to an app may be dropped, as in old versions. Default `true`. */
  setLegacyBufferDrop(drop: boolean): Status {
    this.#core.legacyBufferDrop = drop;
    return this.#status();
  }

  /** Turns shared mode on or off: producer and consumer have one buffer at the same time. */
  setSharedBufferMode(shared: boolean): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    core.sharedMode = shared;
    if (!shared) core.endSharing();
    return STATUS.OK;
  }

  /** Sets whether the consumer gets the shared buffer again at each refresh. */
  setAutoRefresh(on: boolean): Status {
    if (this.#core.isAbandoned) return STATUS.NO_INIT;
    this.#core.autoRefresh = on;
    return STATUS.OK;
  }

  /** Sets the generation of new buffers; only buffers of this generation can be attached. */
  setGenerationNumber(generation: number): Status {
    if (this.#core.isAbandoned) return STATUS.NO_INIT;
    this.#core.generation = generation;
    return STATUS.OK;
  }

  /** Sets whether dequeueing may allocate. Default `true`. */
  allowAllocation(allow: boolean): Status {
    if (this.#core.isAbandoned) return STATUS.NO_INIT;
    this.#core.allowAllocation = allow;
    return STATUS.OK;
  }

  /** Allocates all buffers in advance. */
  allocateBuffers(request: DequeueRequest = {}): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (!core.allowAllocation) return STATUS.INVALID_OPERATION;
    const whole = this.#complete(request);
    while (core.freeSlots.length > 0) {
      const status = this.#fill(core.slots[core.freeSlots[0]], whole);
      if (status !== STATUS.OK) return status;
      core.freeBuffers.push(core.freeSlots.shift()!);
    }
    return STATUS.OK;
  }

  /** Dequeues a buffer to fill. Returns its slot, or a status (see {@linkcode findFreeSlot}). */
  dequeueBuffer(request: DequeueRequest = {}): DequeuedSlot | Status {
    const { width = 0, height = 0 } = request;
    if (this.#status() !== STATUS.OK) return STATUS.NO_INIT;
    if ((width === 0) !== (height === 0) || width < 0 || height < 0) return STATUS.BAD_VALUE;
    const whole = this.#complete(request), slot = this.#findSlot(whole);
    if (typeof slot === "number") return slot;
    if (!fits(slot, whole)) {
      const status = this.#fill(slot, whole);
      if (status !== STATUS.OK) return this.#giveUp(slot, status);
    }
    return this.#handOut(slot);
  }

  /** Finds a free slot whose buffer meets the request, or may be replaced. */
  #findSlot(request: BufferRequest): BufferSlot | Status {
    const core = this.#core;
    for (;;) {
      const slot = findFreeSlot(core, "dequeue");
      if (typeof slot === "number" || fits(slot, request)) return slot;
      if (core.sharedSlot === slot.index) return STATUS.BAD_VALUE; // the consumer has the buffer, too
      if (core.allowAllocation) return slot;
      this.#giveUp(slot, STATUS.OK);
    }
  }

  #handOut(slot: BufferSlot): DequeuedSlot {
    const core = this.#core, isShared = core.sharedSlot === slot.index;
    const fence = slot.takeFence(), needsRequest = slot.changed;
    slot.changed = false;
    core.active.add(slot.index);
    slot.dequeued++;
    core.bufferAge = slot.frameNumber === 0n ? 0n : core.frameCounter + 1n - slot.frameNumber;
    if (core.sharedMode && core.sharedSlot < 0) {
      core.sharedSlot = slot.index;
      slot.shared = true;
    }
    core.tell("dequeued", slot, slot.frameNumber);
    if (isShared) fence.close(); // a shared buffer is written while it is shown
    return { slot: slot.index, fence, bufferAge: core.bufferAge, needsRequest };
  }

  /** Returns the buffer in a dequeued slot. */
  requestBuffer(index: number): GraphicBuffer | Status {
    if (this.#status() !== STATUS.OK) return STATUS.NO_INIT;
    const slot = this.#core.slotAt(index);
    if (!slot?.buffer || slot.dequeued === 0) return STATUS.BAD_VALUE;
    slot.requested = true;
    return slot.buffer;
  }

  /** Queues a filled buffer for the consumer. Always consumes the fence. */
  queueBuffer(index: number, input: QueueInput): QueueOutput | Status {
    const result = this.#status() === STATUS.OK ? queueBuffer(this.#core, index, input) : STATUS.NO_INIT;
    if (typeof result !== "number") return this.output(result.replaced);
    input.fence.close();
    return result;
  }

  /** Returns a dequeued buffer unused. Always consumes the fence, which the next producer of the buffer gets. */
  cancelBuffer(index: number, fence: NativeFence): Status {
    const status = this.#cancel(index, fence);
    if (status !== STATUS.OK) fence.close();
    return status;
  }

  #cancel(index: number, fence: NativeFence): Status {
    const core = this.#core;
    if (this.#status() !== STATUS.OK) return STATUS.NO_INIT;
    const slot = core.slotAt(index);
    if (core.sharedMode || !slot || slot.dequeued === 0) return STATUS.BAD_VALUE;
    slot.dequeued--;
    slot.setFence(fence);
    core.retire(slot);
    core.tell("cancelled", slot, slot.frameNumber);
    return STATUS.OK;
  }

  /**
   * Removes a dequeued buffer from the queue for good. The caller keeps the buffer's holds, and must close the buffer.
   */
  detachBuffer(index: number): Status {
    return this.#status() === STATUS.OK ? detachBuffer(this.#core, index, "producer") : STATUS.NO_INIT;
  }

  /**
   * Removes a free buffer from the queue for good; the caller owns buffer and fence. Returns NO_MEMORY if there is
   * none.
   */
  detachNextBuffer(): { buffer: GraphicBuffer; fence: NativeFence } | Status {
    return this.#status() === STATUS.OK ? detachNextBuffer(this.#core) : STATUS.NO_INIT;
  }

  /**
   * Adds a caller's buffer to the queue in the dequeued state, and returns its slot. The queue then owns the buffer.
   */
  attachBuffer(buffer: GraphicBuffer): number | Status {
    return this.#status() === STATUS.OK ? attachBuffer(this.#core, buffer) : STATUS.NO_INIT;
  }

  /** Returns the slot of a buffer; -1 for another queue's buffer. */
  slotOf(buffer: GraphicBuffer): number {
    return this.#core.slots.findIndex((slot) => slot.buffer === buffer);
  }

  /** Returns a value for producers, or a negative status. */
  query(what: "WIDTH" | "HEIGHT" | "FORMAT" | "MIN_UNDEQUEUED_BUFFERS" | "BUFFER_AGE" | "DEFAULT_DATASPACE"): number {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (what === "WIDTH") return core.defaultWidth;
    if (what === "HEIGHT") return core.defaultHeight;
    if (what === "FORMAT") return core.defaultFormat;
    if (what === "MIN_UNDEQUEUED_BUFFERS") return core.minUndequeued;
    if (what === "DEFAULT_DATASPACE") return core.defaultDataspace;
    return core.bufferAge > 0x7fffffffn ? 0 : Number(core.bufferAge);
  }

  /** Maximum number of buffers. */
  get maxSlots(): number {
    return BUFFER_SLOTS;
  }

  #complete({ width, height, format, usage = 0n }: DequeueRequest): BufferRequest {
    const core = this.#core;
    return {
      width: width || core.defaultWidth,
      height: height || core.defaultHeight,
      format: format || core.defaultFormat,
      usage: core.usageWith(usage),
    };
  }

  /** Puts a new buffer in a slot. */
  #fill(slot: BufferSlot, request: BufferRequest): Status {
    slot.clear();
    const buffer = tryAllocate(request, this.#core.generation, this.#log);
    if (typeof buffer === "number") return buffer;
    slot.put(buffer); // the producer must request the changed buffer
    return STATUS.OK;
  }

  #giveUp(slot: BufferSlot, status: Status): Status {
    slot.clear();
    this.#core.addFreeSlot(slot.index);
    return status;
  }
}
