import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { dropBuffer, holdBuffer } from "./buffer_hold.ts";

/** How many slots a queue has: NUM_BUFFER_SLOTS. */
export const BUFFER_SLOTS = 64;

/** Who has a slot, in words; `SHARED` when several may have it at a time. */
export type SlotState = "FREE" | "DEQUEUED" | "QUEUED" | "ACQUIRED" | "SHARED";

/** A seat for one buffer in a queue, and who has it. Counts and not one state, because a shared buffer is in several hands. */
export class BufferSlot {
  /** Its number. */
  readonly index: number;
  /** What lies in it; the slot holds it. */
  buffer: GraphicBuffer | undefined;
  /** When the next who dequeues it may write; the slot owns it. */
  fence: NativeFence = NativeFence.signaled();
  /** The frame last queued from it; 0 when none was. */
  frameNumber = 0n;
  /** Whether the producer asked for the buffer since it was allocated. */
  requested = false;
  /** Whether the producer must ask for the buffer at its next dequeue. */
  changed = false;
  /** Whether it stays in everybody's hands: shared buffer mode. */
  shared = false;
  /** How many have it dequeued, queued and acquired. */
  dequeued = 0;
  /** See {@linkcode BufferSlot.dequeued}. */
  queued = 0;
  /** See {@linkcode BufferSlot.dequeued}. */
  acquired = 0;

  /** An empty slot. */
  constructor(index: number) {
    this.index = index;
  }

  /** Nobody has it. */
  get isFree(): boolean {
    return this.dequeued === 0 && this.queued === 0 && this.acquired === 0;
  }

  /** Its state as AOSP prints it. */
  get state(): SlotState {
    if (this.shared) return "SHARED";
    if (this.acquired > 0) return "ACQUIRED";
    if (this.queued > 0) return "QUEUED";
    return this.dequeued > 0 ? "DEQUEUED" : "FREE";
  }

  /** Puts a buffer in, which the slot holds from now on. */
  put(buffer: GraphicBuffer): void {
    holdBuffer(buffer);
    if (this.buffer) dropBuffer(this.buffer);
    this.buffer = buffer;
  }

  /** Takes the fence out. */
  takeFence(): NativeFence {
    const { fence } = this;
    this.fence = NativeFence.signaled();
    return fence;
  }

  /** Puts another fence in. */
  setFence(fence: NativeFence): void {
    this.fence.close();
    this.fence = fence;
  }

  /** Empties the slot, whoever has it; the buffer goes to `part`. Default: it is dropped. */
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
