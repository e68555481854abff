import { USAGE } from "../buffer/usage.ts";
import type { BufferItem } from "./buffer_item.ts";
import { BUFFER_SLOTS, BufferSlot } from "./buffer_slot.ts";
import { dropBuffer } from "./buffer_hold.ts";
import { FrameHistory } from "./frame_history.ts";
import type { BufferChange, ConsumerListener, ProducerListener, QueueWatcher } from "./listeners.ts";
import { DATASPACE, FORMAT } from "../android_values.ts";

/** The API of a queue without a producer. */
export const NO_API = 0;

/** The settings that decide the number of buffers. */
type Counts = Pick<QueueCore, "maxAcquired" | "maxDequeued" | "asyncMode" | "dequeueCannotBlock" | "maxBufferCount">;

/** The state that both sides of a queue share. The rules are in the files of the sides. */
export class QueueCore {
  /** All slots. */
  readonly slots: readonly BufferSlot[] = Array.from({ length: BUFFER_SLOTS }, (_, index) => new BufferSlot(index));
  /** Usable slots without a buffer, lowest first. */
  freeSlots: number[] = [];
  /** Free slots with a buffer, longest free first. */
  readonly freeBuffers: number[] = [];
  /** The slots that a side has. */
  readonly active: Set<number> = new Set();
  /** Slots beyond the current number of buffers. */
  readonly unused: number[] = [];
  /** The queued frames, oldest first. */
  readonly queue: BufferItem[] = [];
  readonly history: FrameHistory = new FrameHistory();
  isAbandoned = false;
  connectedApi: number = NO_API;
  consumer: ConsumerListener | undefined;
  producer: ProducerListener | undefined;
  readonly watchers: Set<QueueWatcher> = new Set();
  consumerControlledByApp = false;
  maxBufferCount: number = BUFFER_SLOTS;
  maxAcquired = 1;
  maxDequeued = 1;
  asyncMode = false;
  dequeueCannotBlock = false;
  queueCanDrop = false;
  legacyBufferDrop = true;
  sharedMode = false;
  autoRefresh = false;
  sharedSlot = -1;
  /** The newest frame of the shared buffer, kept so that the frame can be shown again. */
  sharedItem: BufferItem | undefined;
  hasQueued = false;
  frameCounter = 0n;
  bufferAge = 0n;
  generation = 0;
  allowAllocation = true;
  /** In nanoseconds; a negative value waits for ever. */
  dequeueTimeout = -1n;
  defaultWidth = 1;
  defaultHeight = 1;
  defaultFormat: number = FORMAT.RGBA_8888;
  defaultDataspace: number = DATASPACE.UNKNOWN;
  consumerUsage = 0n;
  transformHint = 0;

  /** Makes a queue that may have two buffers: one acquired, one dequeued. */
  constructor() {
    const used = this.bufferCount();
    for (let slot = 0; slot < BUFFER_SLOTS; slot++) (slot < used ? this.freeSlots : this.unused).push(slot);
  }

  /** The current number of buffers. */
  bufferCount(): number {
    return Math.min(this.maxBufferCount, this.maxAcquired + this.maxDequeued + Number(this.isAsync));
  }

  /** Whether the queue keeps one buffer more so that the producer never waits. */
  get isAsync(): boolean {
    return this.asyncMode || this.dequeueCannotBlock;
  }

  /** MIN_UNDEQUEUED_BUFFERS: the number of buffers that a producer must not dequeue. */
  get minUndequeued(): number {
    return this.maxAcquired + Number(this.isAsync);
  }

  /** The number of dequeued slots. */
  get dequeuedCount(): number {
    return this.#count((slot) => slot.dequeued > 0);
  }

  /** The number of acquired slots. */
  get acquiredCount(): number {
    return this.#count((slot) => slot.acquired > 0);
  }

  #count(test: (slot: BufferSlot) => boolean): number {
    let count = 0;
    for (const index of this.active) if (test(this.slots[index])) count++;
    return count;
  }

  /** Returns the slot with a number from a side; `undefined` for an invalid number. */
  slotAt(index: number): BufferSlot | undefined {
    return this.slots[index];
  }

  /**
   * Changes settings that decide the number of buffers. Returns `false` and changes nothing if too many buffers are in
   * use.
   */
  recount(change: Partial<Counts>): boolean {
    const { maxAcquired, maxDequeued, asyncMode, dequeueCannotBlock, maxBufferCount } = this;
    const had = this.bufferCount();
    Object.assign(this, change);
    if (this.#adjustSlots(this.bufferCount() - had)) return true;
    Object.assign(this, { maxAcquired, maxDequeued, asyncMode, dequeueCannotBlock, maxBufferCount });
    return false;
  }

  /** Changes the number of usable slots by `delta`. */
  #adjustSlots(delta: number): boolean {
    if (delta > this.unused.length || -delta > this.freeSlots.length + this.freeBuffers.length) return false;
    for (; delta > 0; delta--) this.addFreeSlot(this.unused.pop()!);
    for (; delta < 0; delta++) {
      const index = this.freeSlots.shift() ?? this.freeBuffers.pop()!;
      this.slots[index].clear();
      this.unused.push(index);
    }
    return true;
  }

  /** Adds an empty slot to the usable slots. */
  addFreeSlot(index: number): void {
    this.freeSlots.push(index);
    this.freeSlots.sort((one, other) => one - other);
  }

  /** Adds a slot that no side has any more to the slots with free buffers, unless the slot is the shared one. */
  retire(slot: BufferSlot): void {
    // After the end of shared mode, the shared buffer becomes an ordinary buffer as soon as no side has it.
    if (!slot.isFree || slot.index === this.sharedSlot) return;
    slot.shared = false;
    if (!this.active.delete(slot.index)) return;
    this.freeBuffers.push(slot.index);
  }

  /** Empties an active slot, and hands the slot's buffer to `part`. */
  vacate(slot: BufferSlot, part?: (buffer: NonNullable<BufferSlot["buffer"]>) => void): void {
    this.active.delete(slot.index);
    this.addFreeSlot(slot.index);
    slot.clear(part);
  }

  /** Tells the watchers about a change of a slot's buffer. */
  tell(change: BufferChange, { index: slot, buffer }: BufferSlot, frame: bigint): void {
    if (this.watchers.size === 0 || !buffer) return;
    for (const watcher of this.watchers) watcher.onBuffer?.({ change, slot, frame, buffer });
  }

  /** Releases all buffers that no side has. Returns the slots' numbers. */
  discardFree(): number[] {
    const freed = this.freeBuffers.splice(0);
    for (const index of freed) {
      this.slots[index].clear();
      this.addFreeSlot(index);
    }
    return freed;
  }

  /** Releases all buffers, whoever has them. Frames in the queue can still be acquired, but have no slot any more. */
  freeAll(): void {
    this.discardFree();
    for (const index of [...this.active]) this.vacate(this.slots[index]);
    for (const item of this.queue) item.isStale = true;
    this.sharedSlot = -1;
    this.sharedItem = undefined;
  }

  /** Makes the shared buffer an ordinary buffer, as soon as no side has it. */
  endSharing(): void {
    const slot = this.slotAt(this.sharedSlot);
    this.sharedSlot = -1;
    this.sharedItem = undefined;
    if (slot) this.retire(slot);
  }

  /** Drops a frame that was not acquired. The frame's buffer is free again when the buffer's own drawing is done. */
  dropItem(item: BufferItem): void {
    this.history.dropped(item.frameNumber);
    if (item.isStale) item.fence.close();
    else {
      const slot = this.slots[item.slot];
      slot.queued--;
      slot.setFence(item.fence);
      this.retire(slot);
      this.tell("dropped", slot, item.frameNumber);
    }
    dropBuffer(item.buffer);
  }

  /** The usage bits of a requested buffer: those of both sides, but the layout rule of only one side. */
  usageWith(usage: bigint): bigint {
    const layout = usage & USAGE.LAYOUT_RULE_MASK || this.consumerUsage & USAGE.LAYOUT_RULE_MASK;
    return (usage | this.consumerUsage) & ~USAGE.LAYOUT_RULE_MASK | layout;
  }
}
