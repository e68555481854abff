import { checkOptions, object, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import type { BufferRequest, GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import { STATUS, type Status } from "../status.ts";
import { needsReallocation, tryAllocate } from "./allocate.ts";
import { attachBuffer, detachBuffer, detachNextBuffer } from "./attach.ts";
import type { QueueInput } from "./buffer_item.ts";
import { BUFFER_SLOTS, type BufferSlot } from "./buffer_slot.ts";
import { findFreeSlot } from "./free_slot.ts";
import type { ProducerListener } from "./listeners.ts";
import { NO_API, type QueueCore } from "./queue_core.ts";
import { queueBuffer } from "./queue_buffer.ts";

/** What a producer learns when it connects or queues. */
export interface QueueOutput {
  /** The size of buffers asked for without one. */
  readonly width: number;
  /** Rows, likewise. */
  readonly height: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits by which producers should turn what they draw. */
  readonly transformHint: number;
  /** Frames that the consumer has not taken. */
  readonly numPendingBuffers: number;
  /** The number the next queued frame will have. */
  readonly nextFrameNumber: bigint;
  /** Whether a frame that was not taken made way. */
  readonly bufferReplaced: boolean;
}

/** A slot that was dequeued. */
export interface DequeuedSlot {
  /** Its number. */
  readonly slot: number;
  /** Signalled when the buffer may be written; the caller owns it. */
  readonly fence: NativeFence;
  /** How many frames ago its contents were drawn; 0 for undefined contents. */
  readonly bufferAge: bigint;
  /** Whether {@linkcode BufferProducer.requestBuffer} must be called, because it is another buffer than the last time. */
  readonly needsRequest: boolean;
}

/** What a producer wants of a buffer; 0 stands for the consumer's choice. */
export interface DequeueRequest {
  /** Pixels in a row. */
  readonly width?: number;
  /** Rows. */
  readonly height?: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format?: number;
  /** Gralloc usage bits. */
  readonly usage?: bigint;
}

/** How a producer connects. */
export interface ConnectOptions {
  /** What is told about buffers. */
  readonly listener?: ProducerListener;
  /** Whether an app is the producer: if one is the consumer too, dequeueing never waits. Default false. */
  readonly controlledByApp?: boolean;
}

const RULES: OptionRules<ConnectOptions> = {
  listener: object("a listener"),
  controlledByApp: yesOrNo,
};

/** NATIVE_WINDOW_API_EGL, _CPU, _MEDIA and _CAMERA. */
const FIRST_API = 1, LAST_API = 4;

/** Whether a slot has a buffer that will do. */
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

  /** NO_INIT when there is nobody to produce for, or nobody connected. */
  #status(): Status {
    const { isAbandoned, connectedApi } = this.#core;
    return isAbandoned || connectedApi === NO_API ? STATUS.NO_INIT : STATUS.OK;
  }

  /** Connects as one of NATIVE_WINDOW_API_…; BAD_VALUE when somebody is, NO_INIT without a consumer. */
  connect(api: number, options: ConnectOptions = {}): QueueOutput | Status {
    checkOptions("connect()", options, RULES);
    const { listener, controlledByApp = false } = options;
    const core = this.#core;
    if (core.isAbandoned || !core.consumer) return STATUS.NO_INIT;
    if (core.connectedApi !== NO_API || !(api >= FIRST_API && api <= LAST_API)) return STATUS.BAD_VALUE;
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

  /** Ends the connection and lets go of all buffers. NO_INIT when nobody is connected, BAD_VALUE when by another API. */
  disconnect(api: number): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.OK; // everything is gone already
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

  /** What connect and queue answer. */
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

  /** How many buffers the producer has at a time; BAD_VALUE when it has more, or too many would be needed. */
  setMaxDequeuedBufferCount(count: number): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (count === core.maxDequeued) return STATUS.OK;
    if (core.dequeuedCount > count || count < 1) return STATUS.BAD_VALUE;
    if (core.minUndequeued + count > core.maxBufferCount) return STATUS.BAD_VALUE;
    return core.recount({ maxDequeued: count }) ? STATUS.OK : STATUS.BAD_VALUE;
  }

  /** Mailbox: a frame that nobody took makes way for a newer one, at the price of one buffer more. */
  setAsyncMode(on: boolean): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (on === core.asyncMode) return STATUS.OK;
    const isAsync = on || core.dequeueCannotBlock;
    if (core.maxAcquired + core.maxDequeued + Number(isAsync) > core.maxBufferCount) return STATUS.BAD_VALUE;
    return core.recount({ asyncMode: on }) ? STATUS.OK : STATUS.BAD_VALUE;
  }

  /** Nanoseconds; negative for ever. Whoever sets it wants to wait: one that never does, does from now on. */
  setDequeueTimeout(timeout: bigint): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (!core.recount({ dequeueCannotBlock: false })) return STATUS.BAD_VALUE;
    core.dequeueTimeout = timeout;
    if (timeout > 0n) core.queueCanDrop = false;
    return STATUS.OK;
  }

  /** Whether frames of an app for an app may be dropped, as they were in old versions. Default true. */
  setLegacyBufferDrop(drop: boolean): Status {
    this.#core.legacyBufferDrop = drop;
    return this.#status();
  }

  /** One buffer that producer and consumer have at the same time. */
  setSharedBufferMode(shared: boolean): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    core.sharedMode = shared;
    if (!shared) core.endSharing();
    return STATUS.OK;
  }

  /** Whether the consumer gets the shared buffer again at each refresh. */
  setAutoRefresh(on: boolean): Status {
    if (this.#core.isAbandoned) return STATUS.NO_INIT;
    this.#core.autoRefresh = on;
    return STATUS.OK;
  }

  /** Only buffers of this generation can be attached from now on; those allocated from now on are of it. */
  setGenerationNumber(generation: number): Status {
    if (this.#core.isAbandoned) return STATUS.NO_INIT;
    this.#core.generation = generation;
    return STATUS.OK;
  }

  /** Whether dequeueing may allocate. Default true. */
  allowAllocation(allow: boolean): Status {
    if (this.#core.isAbandoned) return STATUS.NO_INIT;
    this.#core.allowAllocation = allow;
    return STATUS.OK;
  }

  /** Allocates all buffers there may be, before they are wanted. */
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

  /** A buffer to fill: its slot, or a status (see {@linkcode findFreeSlot}). */
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

  /** A free slot whose buffer will do, or may be replaced by one that does. */
  #findSlot(request: BufferRequest): BufferSlot | Status {
    const core = this.#core;
    for (;;) {
      const slot = findFreeSlot(core, "dequeue");
      if (typeof slot === "number" || fits(slot, request)) return slot;
      if (core.sharedSlot === slot.index) return STATUS.BAD_VALUE; // the consumer has it too
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
    if (isShared) fence.close(); // it is written while it is shown
    return { slot: slot.index, fence, bufferAge: core.bufferAge, needsRequest };
  }

  /** The buffer in a dequeued slot. */
  requestBuffer(index: number): GraphicBuffer | Status {
    if (this.#status() !== STATUS.OK) return STATUS.NO_INIT;
    const slot = this.#core.slotAt(index);
    if (!slot?.buffer || slot.dequeued === 0) return STATUS.BAD_VALUE;
    slot.requested = true;
    return slot.buffer;
  }

  /** Hands a filled buffer to the consumer. Consumes the fence always. */
  queueBuffer(index: number, input: QueueInput): QueueOutput | Status {
    const result = this.#status() === STATUS.OK ? queueBuffer(this.#core, index, input) : STATUS.NO_INIT;
    if (typeof result !== "number") return this.output(result.replaced);
    input.fence.close();
    return result;
  }

  /** Gives a dequeued buffer back unused. Consumes the fence always, which the next who dequeues it gets. */
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
    return STATUS.OK;
  }

  /** Takes a dequeued buffer out of the queue for good; its holds stay with the caller, who must close it. */
  detachBuffer(index: number): Status {
    return this.#status() === STATUS.OK ? detachBuffer(this.#core, index, "producer") : STATUS.NO_INIT;
  }

  /** Takes a free buffer out of the queue for good; the caller owns buffer and fence. NO_MEMORY when there is none. */
  detachNextBuffer(): { buffer: GraphicBuffer; fence: NativeFence } | Status {
    return this.#status() === STATUS.OK ? detachNextBuffer(this.#core) : STATUS.NO_INIT;
  }

  /** Puts a buffer of the caller's into the queue, dequeued: its slot. The queue owns the buffer then. */
  attachBuffer(buffer: GraphicBuffer): number | Status {
    return this.#status() === STATUS.OK ? attachBuffer(this.#core, buffer) : STATUS.NO_INIT;
  }

  /** The slot a buffer lies in; -1 for another queue's. */
  slotOf(buffer: GraphicBuffer): number {
    return this.#core.slots.findIndex((slot) => slot.buffer === buffer);
  }

  /** A value producers ask for, or a negative status. */
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

  /** Most buffers there may be. */
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
    slot.put(buffer); // which the producer has to ask for, for it is changed
    return STATUS.OK;
  }

  #giveUp(slot: BufferSlot, status: Status): Status {
    slot.clear();
    this.#core.addFreeSlot(slot.index);
    return status;
  }
}
