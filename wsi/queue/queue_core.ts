import { USAGE } from "../buffer/usage.ts";
import type { BufferItem } from "./buffer_item.ts";
import { BUFFER_SLOTS, BufferSlot } from "./buffer_slot.ts";
import { dropBuffer } from "./buffer_hold.ts";
import { FrameHistory } from "./frame_history.ts";
import type { BufferChange, ConsumerListener, ProducerListener, QueueWatcher } from "./listeners.ts";

/** Nobody: the API of a queue without a producer. */
export const NO_API = 0;

/** What the number of buffers follows from. */
type Counts = Pick<QueueCore, "maxAcquired" | "maxDequeued" | "asyncMode" | "dequeueCannotBlock" | "maxBufferCount">;

/** What both sides of a queue share; the rules are in the files of the sides. */
export class QueueCore {
  /** All slots. */
  readonly slots: readonly BufferSlot[] = Array.from({ length: BUFFER_SLOTS }, (_, index) => new BufferSlot(index));
  /** Usable slots without a buffer, lowest first. */
  freeSlots: number[] = [];
  /** Free slots with a buffer, longest free first. */
  readonly freeBuffers: number[] = [];
  /** Slots in somebody's hands. */
  readonly active: Set<number> = new Set();
  /** Slots beyond the number of buffers there may be. */
  readonly unused: number[] = [];
  /** The queued frames, oldest first. */
  readonly queue: BufferItem[] = [];
  readonly history: FrameHistory = new FrameHistory();
  isAbandoned = false;
  connectedApi = NO_API;
  consumer: ConsumerListener | undefined;
  producer: ProducerListener | undefined;
  readonly watchers: Set<QueueWatcher> = new Set();
  consumerControlledByApp = false;
  maxBufferCount = BUFFER_SLOTS;
  maxAcquired = 1;
  maxDequeued = 1;
  asyncMode = false;
  dequeueCannotBlock = false;
  queueCanDrop = false;
  legacyBufferDrop = true;
  sharedMode = false;
  autoRefresh = false;
  sharedSlot = -1;
  /** The newest frame of the shared buffer, for showing it again. */
  sharedItem: BufferItem | undefined;
  hasQueued = false;
  frameCounter = 0n;
  bufferAge = 0n;
  generation = 0;
  allowAllocation = true;
  /** Nanoseconds; negative for ever. */
  dequeueTimeout = -1n;
  defaultWidth = 1;
  defaultHeight = 1;
  defaultFormat = 1;
  defaultDataspace = 0;
  consumerUsage = 0n;
  transformHint = 0;

  /** A queue that may have two buffers: one acquired, one dequeued. */
  constructor() {
    const used = this.bufferCount();
    for (let slot = 0; slot < BUFFER_SLOTS; slot++) (slot < used ? this.freeSlots : this.unused).push(slot);
  }

  /** How many buffers there may be. */
  bufferCount(): number {
    return Math.min(this.maxBufferCount, this.maxAcquired + this.maxDequeued + Number(this.isAsync));
  }

  /** Whether one buffer more is kept so that the producer never waits. */
  get isAsync(): boolean {
    return this.asyncMode || this.dequeueCannotBlock;
  }

  /** MIN_UNDEQUEUED_BUFFERS: how many buffers a producer must leave. */
  get minUndequeued(): number {
    return this.maxAcquired + Number(this.isAsync);
  }

  /** How many slots are dequeued. */
  get dequeuedCount(): number {
    return this.#count((slot) => slot.dequeued > 0);
  }

  /** How many slots are acquired. */
  get acquiredCount(): number {
    return this.#count((slot) => slot.acquired > 0);
  }

  #count(test: (slot: BufferSlot) => boolean): number {
    let count = 0;
    for (const index of this.active) if (test(this.slots[index])) count++;
    return count;
  }

  /** The slot of a number that a side gave, `undefined` when there is none. */
  slotAt(index: number): BufferSlot | undefined {
    return this.slots[index];
  }

  /** Changes what the number of buffers follows from; `false`, and nothing done, when too many are in use. */
  recount(change: Partial<Counts>): boolean {
    const { maxAcquired, maxDequeued, asyncMode, dequeueCannotBlock, maxBufferCount } = this;
    const had = this.bufferCount();
    Object.assign(this, change);
    if (this.#adjustSlots(this.bufferCount() - had)) return true;
    Object.assign(this, { maxAcquired, maxDequeued, asyncMode, dequeueCannotBlock, maxBufferCount });
    return false;
  }

  /** Makes that many slots more usable, or fewer. */
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

  /** Puts an empty slot among the usable ones. */
  addFreeSlot(index: number): void {
    this.freeSlots.push(index);
    this.freeSlots.sort((one, other) => one - other);
  }

  /** Puts a slot nobody has any more among those with free buffers, unless it is the shared one. */
  retire(slot: BufferSlot): void {
    // The buffer of a shared mode that has ended is an ordinary one again as soon as nobody has it.
    if (!slot.isFree || slot.index === this.sharedSlot) return;
    slot.shared = false;
    if (!this.active.delete(slot.index)) return;
    this.freeBuffers.push(slot.index);
  }

  /** Empties an active slot, whose buffer goes to `part`. */
  vacate(slot: BufferSlot, part?: (buffer: NonNullable<BufferSlot["buffer"]>) => void): void {
    this.active.delete(slot.index);
    this.addFreeSlot(slot.index);
    slot.clear(part);
  }

  /** Tells the watchers what happened to the buffer of a slot. */
  tell(change: BufferChange, { index: slot, buffer }: BufferSlot, frame: bigint): void {
    if (this.watchers.size === 0 || !buffer) return;
    for (const watcher of this.watchers) watcher.onBuffer?.({ change, slot, frame, buffer });
  }

  /** Lets go of all buffers that nobody has; the slots' numbers. */
  discardFree(): number[] {
    const freed = this.freeBuffers.splice(0);
    for (const index of freed) {
      this.slots[index].clear();
      this.addFreeSlot(index);
    }
    return freed;
  }

  /** Lets go of all buffers, whoever has them; frames still queued can be taken, but have no slot any more. */
  freeAll(): void {
    this.discardFree();
    for (const index of [...this.active]) this.vacate(this.slots[index]);
    for (const item of this.queue) item.isStale = true;
    this.sharedSlot = -1;
    this.sharedItem = undefined;
  }

  /** Makes the shared buffer an ordinary one, as soon as nobody has it. */
  endSharing(): void {
    const slot = this.slotAt(this.sharedSlot);
    this.sharedSlot = -1;
    this.sharedItem = undefined;
    if (slot) this.retire(slot);
  }

  /** Drops a frame that nobody took: its buffer is free again, when its own drawing is done. */
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

  /** The usage bits of a buffer that a producer asks for: both sides', but only one side's rule of layout. */
  usageWith(usage: bigint): bigint {
    const layout = usage & USAGE.LAYOUT_RULE_MASK || this.consumerUsage & USAGE.LAYOUT_RULE_MASK;
    return (usage | this.consumerUsage) & ~USAGE.LAYOUT_RULE_MASK | layout;
  }
}
