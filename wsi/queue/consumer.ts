import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import { STATUS, type Status } from "../android_values.ts";
import { acquire, type AcquireRequest, STALE_BUFFER_SLOT } from "./acquire.ts";
import { detachBuffer } from "./attach.ts";
import { isOver } from "../fence/careful_fence.ts";
import { dropBuffer } from "./buffer_hold.ts";
import type { BufferItem } from "./buffer_item.ts";
import { BUFFER_SLOTS } from "./buffer_slot.ts";
import type { ConsumerListener } from "./listeners.ts";
import { NO_API, type QueueCore } from "./queue_core.ts";

/** The largest number of buffers that a consumer may keep: MAX_MAX_ACQUIRED_BUFFERS. */
const MOST_ACQUIRED = BUFFER_SLOTS - 2;

/** The side of a queue that takes filled buffers: IGraphicBufferConsumer. */
export class BufferConsumer {
  readonly #core: QueueCore;

  /** Made by the queue. */
  constructor(core: QueueCore) {
    this.#core = core;
  }

  /** Connects the consumer; a producer can connect only afterwards. */
  connect(listener: ConsumerListener, controlledByApp = false): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    core.consumer = listener;
    core.consumerControlledByApp = controlledByApp;
    return STATUS.OK;
  }

  /** Closes the queue for good: every later call of either side returns NO_INIT, and all buffers are released. */
  disconnect(): Status {
    const core = this.#core;
    if (!core.consumer || core.isAbandoned) return STATUS.BAD_VALUE;
    core.isAbandoned = true;
    core.consumer = undefined;
    for (const item of core.queue.splice(0)) core.dropItem(item);
    core.freeAll();
    core.history.enable(false);
    return STATUS.OK;
  }

  /**
   * Acquires the oldest queued frame. The caller holds buffer and fence until {@linkcode BufferConsumer.releaseItem}.
   * Returns a status, NO_BUFFER_AVAILABLE or PRESENT_LATER otherwise.
   */
  acquireBuffer(request: AcquireRequest = {}): BufferItem | number {
    return acquire(this.#core, request);
  }

  /**
   * Releases a buffer; the producer can write it once the fence is signalled. The fence is always consumed. Returns
   * STALE_BUFFER_SLOT if the slot now holds another frame, BAD_VALUE if the buffer was not acquired.
   */
  releaseBuffer(index: number, frameNumber: bigint, fence: NativeFence): Status {
    const status = this.#release(index, frameNumber, fence);
    if (status !== STATUS.OK) fence.close();
    return status;
  }

  #release(index: number, frameNumber: bigint, fence: NativeFence): Status {
    const core = this.#core, slot = core.slotAt(index);
    if (!slot) return STATUS.BAD_VALUE;
    if (slot.frameNumber !== frameNumber && !slot.shared) return STALE_BUFFER_SLOT;
    if (slot.acquired === 0) return STATUS.BAD_VALUE;
    core.history.released(frameNumber, fence);
    slot.acquired--;
    slot.setFence(fence);
    core.retire(slot);
    core.tell("released", slot, frameNumber);
    core.producer?.onBufferReleased?.(index);
    return STATUS.OK;
  }

  /**
   * Releases an acquired frame, its buffer's hold and its own fence. Without a release fence, the frame's own fence is
   * passed on, so that the next producer does not write before the drawing is done.
   */
  releaseItem(item: BufferItem, fence: NativeFence = item.fence): Status {
    if (fence !== item.fence) item.fence.close();
    else isOver(fence); // a signalled fence gives up its file here
    const status = this.releaseBuffer(item.slot, item.frameNumber, fence);
    dropBuffer(item.buffer);
    return status;
  }

  /** Removes an acquired buffer from the queue for good; see BufferProducer.detachBuffer. */
  detachBuffer(index: number): Status {
    return this.#core.isAbandoned ? STATUS.NO_INIT : detachBuffer(this.#core, index, "consumer");
  }

  /** Adds a buffer to the queue in the acquired state, and returns its slot. Returns NO_MEMORY without a free slot. */
  attachBuffer(buffer: GraphicBuffer): number | Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (core.sharedMode || core.slots.some((slot) => slot.buffer === buffer)) return STATUS.BAD_VALUE;
    if (core.acquiredCount >= core.maxAcquired + 1) return STATUS.INVALID_OPERATION;
    const index = core.freeSlots.shift() ?? core.freeBuffers.shift();
    if (index === undefined) return STATUS.NO_MEMORY;
    const slot = core.slots[index];
    slot.clear();
    slot.put(buffer);
    slot.acquired = 1;
    core.active.add(index);
    return index;
  }

  /** Sets the size of buffers that are requested without a size. */
  setDefaultBufferSize(width: number, height: number): Status {
    if (!(width > 0) || !(height > 0)) return STATUS.BAD_VALUE;
    this.#core.defaultWidth = width;
    this.#core.defaultHeight = height;
    return STATUS.OK;
  }

  /** Sets the format of buffers that are requested without a format. */
  setDefaultBufferFormat(format: number): Status {
    this.#core.defaultFormat = format;
    return STATUS.OK;
  }

  /** Sets the dataspace of frames that are queued without a dataspace. */
  setDefaultBufferDataspace(dataspace: number): Status {
    this.#core.defaultDataspace = dataspace;
    return STATUS.OK;
  }

  /** Sets usage bits that all new buffers get. */
  setConsumerUsageBits(usage: bigint): Status {
    this.#core.consumerUsage = usage;
    return STATUS.OK;
  }

  /** Sets how producers should rotate their drawing, in NATIVE_WINDOW_TRANSFORM_… bits. */
  setTransformHint(hint: number): Status {
    this.#core.transformHint = hint;
    return STATUS.OK;
  }

  /** Sets how many buffers the consumer holds; INVALID_OPERATION while a producer is connected. */
  setMaxAcquiredBufferCount(count: number): Status {
    const core = this.#core;
    if (!(count >= 1 && count <= MOST_ACQUIRED)) return STATUS.BAD_VALUE;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (count === core.maxAcquired) return STATUS.OK;
    if (core.connectedApi !== NO_API) return STATUS.INVALID_OPERATION;
    if (core.acquiredCount > count) return STATUS.BAD_VALUE;
    if (count + core.maxDequeued + Number(core.isAsync) > core.maxBufferCount) return STATUS.BAD_VALUE;
    return core.recount({ maxAcquired: count }) ? STATUS.OK : STATUS.BAD_VALUE;
  }

  /** Sets the maximum number of buffers, 1 to 64; INVALID_OPERATION while a producer is connected. */
  setMaxBufferCount(count: number): Status {
    const core = this.#core;
    if (!(count >= 1 && count <= BUFFER_SLOTS)) return STATUS.BAD_VALUE;
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (core.connectedApi !== NO_API) return STATUS.INVALID_OPERATION;
    if (count < core.maxAcquired) return STATUS.BAD_VALUE;
    return core.recount({ maxBufferCount: count }) ? STATUS.OK : STATUS.BAD_VALUE;
  }

  /** Frees all unused buffers, to save memory. */
  discardFreeBuffers(): Status {
    const core = this.#core;
    if (core.isAbandoned) return STATUS.NO_INIT;
    const slots = core.discardFree();
    core.producer?.onBuffersDiscarded?.(slots);
    core.consumer?.onBuffersReleased?.(slots);
    return STATUS.OK;
  }

  /** Number of frames that are queued and not acquired. */
  get pending(): number {
    return this.#core.queue.length;
  }

  /** Whether the shared buffer can be acquired again without being queued again. */
  get refreshes(): boolean {
    const { sharedMode, autoRefresh, sharedItem } = this.#core;
    return sharedMode && autoRefresh && sharedItem !== undefined;
  }

  /** Records that a frame was on the display. */
  presented(frameNumber: bigint, when: bigint): void {
    this.#core.history.presented(frameNumber, when);
    for (const watcher of this.#core.watchers) watcher.onPresented?.(frameNumber, when);
  }
}
