import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { dropBuffer, holdBuffer } from "./buffer_hold.ts";

/** The number of slots of a queue: NUM_BUFFER_SLOTS. */
export const BUFFER_SLOTS = 64;

/** The owner of a slot, in words; `SHARED` if several sides may have the slot at a time. */
export type SlotState = "FREE" | "DEQUEUED" | "QUEUED" | "ACQUIRED" | "SHARED";

/**
 * A place for one buffer in a queue, and the sides that have the buffer. The slot has counters and not one state,
 * because a shared buffer is in several hands.
 */
export class BufferSlot {
  /** The slot's number. */
  readonly index: number;
  /** The buffer in the slot, which the slot holds. */
  buffer: GraphicBuffer | undefined;
  /** Signalled when the next producer may write to the buffer. The slot owns the fence. */
  fence: NativeFence = NativeFence.signaled();
  /** The frame that was last queued from the slot; 0 for none. */
  frameNumber = 0n;
  /** Whether the producer has requested the buffer since its allocation. */
  requested = false;
  /** Whether the producer must request the buffer at its next dequeue. */
  changed = false;
  /** Whether all sides keep the slot at the same time: shared buffer mode. */
  shared = false;
  /** The number of times that the slot is dequeued, queued and acquired. */
  dequeued = 0;
  /** See {@linkcode BufferSlot.dequeued}. */
  queued = 0;
  /** See {@linkcode BufferSlot.dequeued}. */
  acquired = 0;

  /** Makes an empty slot. */
  constructor(index: number) {
    this.index = index;
  }

  /** Whether no side has the slot. */
  get isFree(): boolean {
    return this.dequeued === 0 && this.queued === 0 && this.acquired === 0;
  }

  /** The slot's state as AOSP prints it. */
  get state(): SlotState {
    if (this.shared) return "SHARED";
    if (this.acquired > 0) return "ACQUIRED";
    if (this.queued > 0) return "QUEUED";
    return this.dequeued > 0 ? "DEQUEUED" : "FREE";
  }

  /** Puts a buffer into the slot, which holds the buffer from now on. */
  put(buffer: GraphicBuffer): void {
    holdBuffer(buffer);
    if (this.buffer) dropBuffer(this.buffer);
    this.buffer = buffer;
  }

  /** Takes the fence out of the slot. */
  takeFence(): NativeFence {
    const { fence } = this;
    this.fence = NativeFence.signaled();
    return fence;
  }

  /** Puts another fence into the slot. */
  setFence(fence: NativeFence): void {
    this.fence.close();
    this.fence = fence;
  }

  /** Empties the slot, whoever has it, and hands the buffer to `part`. Default: the buffer is dropped. */
  clear(part: (buffer: GraphicBuffer) => void = dropBuffer): void {
    const { buffer } = this;
    this.buffer = undefined;
    this.setFence(NativeFence.signaled());
    this.frameNumber = 0n;
    this.requested = this.shared = false;
    this.changed = true;
    this.dequeued = this.queued = this.acquired = 0;
    if (buffer) part(buffer);
  }
}
