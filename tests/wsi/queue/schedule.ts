import { assert, assertEquals } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NO_BUFFER_AVAILABLE, STALE_BUFFER_SLOT } from "../../../wsi/queue/acquire.ts";
import type { BufferItem } from "../../../wsi/queue/buffer_item.ts";
import { BufferQueue } from "../../../wsi/queue/buffer_queue.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { got } from "../got.ts";

/** A signal that a test gives when it likes, and whether it did. */
interface Signal {
  isDone: boolean;
  give(): void;
}

interface Taken {
  readonly item: BufferItem;
  isStale: boolean;
}

interface Queued {
  readonly frame: bigint;
  readonly slot: number;
  readonly isDroppable: boolean;
  readonly signal: Signal;
  isStale: boolean;
}

const DONE: Signal = { isDone: true, give() {} };

/** A queue beside a small model of it: each step does the same to both and compares. */
export class Schedule {
  readonly #queue = new BufferQueue();
  readonly #signals: Signal[] = [];
  /** The signals before which no buffer may be written, by slot. */
  readonly #ready = new Map<number, Signal>();
  #dequeued: number[] = [];
  #queued: Queued[] = [];
  #taken: Taken[] = [];
  #maxDequeued = 1;
  #isAsync = false;
  #hasQueued = false;
  #frames = 0n;
  #lastTaken = 0n;
  readonly #maxAcquired: number;

  constructor(maxAcquired: number) {
    this.#maxAcquired = maxAcquired;
    const { consumer, producer } = this.#queue;
    consumer.setDefaultBufferSize(16, 4);
    assertEquals(consumer.setMaxAcquiredBufferCount(maxAcquired), STATUS.OK);
    consumer.connect({});
    got(producer.connect(1));
  }

  /** Does one step; `choice` says on which of several. */
  step(name: keyof typeof STEPS, choice: number): void {
    STEPS[name](this, choice);
    this.#compare();
  }

  /** Gives everything back, signals everything and ends. */
  end(): void {
    while (this.#taken.length > 0) this.release(0, {});
    for (let index = this.#dequeued.length; index > 0; index--) this.cancel(0, {});
    while (this.#queued.length > 0) {
      this.acquire();
      this.release(0, {});
    }
    const { free, usable } = this.#queue.count();
    assertEquals(free, usable, "free slots when nobody has any");
    for (const signal of this.#signals) signal.give();
    assertEquals(this.#queue.consumer.disconnect(), STATUS.OK);
  }

  get #limit(): number {
    return this.#maxAcquired + this.#maxDequeued + Number(this.#isAsync);
  }

  get #inHands(): number[] {
    const queued = this.#queued.filter((each) => !each.isStale).map((each) => each.slot);
    const taken = this.#taken.filter((each) => !each.isStale).map(({ item }) => item.slot);
    return [...this.#dequeued, ...queued, ...taken];
  }

  #compare(): void {
    const hands = this.#inHands, count = this.#queue.count();
    assertEquals(new Set(hands).size, hands.length, "slots in several hands");
    assertEquals(count.usable, this.#limit, "usable slots");
    assertEquals(count.free, this.#limit - hands.length, "free slots");
    assertEquals([count.dequeued, count.queued], [this.#dequeued.length, this.#queued.length]);
  }

  signal(isPending: boolean): { fence: NativeFence; signal: Signal } {
    if (!isPending) return { fence: NativeFence.signaled(), signal: DONE };
    const { fence, signal: give } = NativeFence.create();
    const signal: Signal = {
      isDone: false,
      give() {
        signal.isDone = true;
        give();
      },
    };
    this.#signals.push(signal);
    return { fence, signal };
  }

  giveSignal(choice: number): void {
    if (this.#signals.length > 0) this.#signals[choice % this.#signals.length].give();
  }

  dequeue(): void {
    const result = this.#queue.producer.dequeueBuffer();
    const expected = this.#expectedDequeue();
    if (typeof result === "number") return assertEquals(result, expected, "dequeueBuffer");
    assertEquals(expected, STATUS.OK, "dequeueBuffer gave a buffer");
    const { slot, fence, needsRequest } = result;
    const signal = needsRequest ? DONE : this.#ready.get(slot) ?? DONE;
    assertEquals(fence.poll(), signal.isDone, "whether the buffer may be written");
    fence.close();
    assert(!got(this.#queue.producer.requestBuffer(slot)).isClosed, "a dequeued slot has its buffer");
    this.#ready.set(slot, DONE);
    this.#dequeued.push(slot);
  }

  #expectedDequeue(): number {
    if (this.#hasQueued && this.#dequeued.length >= this.#maxDequeued) return STATUS.INVALID_OPERATION;
    if (this.#inHands.length < this.#limit && this.#queued.length <= this.#limit) return STATUS.OK;
    const acquired = this.#taken.filter((each) => !each.isStale).length;
    return this.#isAsync && acquired <= this.#maxAcquired ? STATUS.WOULD_BLOCK : STATUS.TIMED_OUT;
  }

  queue(choice: number, isPending: boolean): void {
    if (this.#dequeued.length === 0) return this.#refused();
    const [slot] = this.#dequeued.splice(choice % this.#dequeued.length, 1);
    const { fence, signal } = this.signal(isPending);
    const output = got(this.#queue.producer.queueBuffer(slot, { fence }));
    const last = this.#queued.at(-1), frame = ++this.#frames;
    assertEquals(output.bufferReplaced, last?.isDroppable === true, "whether a frame made way");
    if (last?.isDroppable) {
      this.#queued.pop();
      if (!last.isStale) this.#ready.set(last.slot, last.signal);
    }
    this.#queued.push({ frame, slot, isDroppable: this.#isAsync, signal, isStale: false });
    this.#hasQueued = true;
  }

  /** Slots that are not the producer's: an error, and the fence is closed. */
  #refused(): void {
    const { producer } = this.#queue, slot = this.#inHands[0] ?? 63;
    assertEquals(producer.queueBuffer(slot, { fence: this.#strange() }), STATUS.BAD_VALUE);
    assertEquals(producer.cancelBuffer(slot, this.#strange()), STATUS.BAD_VALUE);
  }

  #strange(): NativeFence {
    return this.signal(true).fence;
  }

  cancel(choice: number, given: { fence?: NativeFence; signal?: Signal }): void {
    if (this.#dequeued.length === 0) return given.fence?.close();
    const [slot] = this.#dequeued.splice(choice % this.#dequeued.length, 1);
    const { fence = NativeFence.signaled(), signal = DONE } = given;
    assertEquals(this.#queue.producer.cancelBuffer(slot, fence), STATUS.OK);
    this.#ready.set(slot, signal);
  }

  acquire(): void {
    const result = this.#queue.consumer.acquireBuffer();
    const acquired = this.#taken.filter((each) => !each.isStale).length;
    if (acquired > this.#maxAcquired) return assertEquals(result, STATUS.INVALID_OPERATION);
    const expected = this.#queued.shift();
    if (!expected) return assertEquals(result, NO_BUFFER_AVAILABLE);
    const item = got(result);
    assertEquals(item.frameNumber, expected.frame, "which frame comes next");
    assert(item.frameNumber > this.#lastTaken, "frames come in order, and once");
    assertEquals(item.fence.poll(), expected.signal.isDone, "whether it is drawn");
    assert(!item.buffer.isClosed, "a taken frame has its buffer");
    this.#lastTaken = item.frameNumber;
    this.#taken.push({ item, isStale: expected.isStale });
  }

  release(choice: number, given: { fence?: NativeFence; signal?: Signal }): void {
    if (this.#taken.length === 0) return given.fence?.close();
    const [{ item, isStale }] = this.#taken.splice(choice % this.#taken.length, 1);
    const { fence = NativeFence.signaled(), signal = DONE } = given;
    const status = this.#queue.consumer.releaseItem(item, fence);
    assertEquals(status, isStale ? STALE_BUFFER_SLOT : STATUS.OK, "releaseBuffer");
    if (!isStale) this.#ready.set(item.slot, signal);
  }

  resize(choice: number): void {
    assertEquals(this.#queue.consumer.setDefaultBufferSize(16 + choice % 3, 4), STATUS.OK);
  }

  discard(): void {
    assertEquals(this.#queue.consumer.discardFreeBuffers(), STATUS.OK);
  }

  setAsync(isAsync: boolean): void {
    const fits = this.#inHands.length <= this.#limit - Number(this.#isAsync) + Number(isAsync);
    assertEquals(this.#queue.producer.setAsyncMode(isAsync), fits ? STATUS.OK : STATUS.BAD_VALUE);
    if (fits) this.#isAsync = isAsync;
  }

  setMaxDequeued(count: number): void {
    const fits = this.#dequeued.length <= count && this.#inHands.length <= this.#limit - this.#maxDequeued + count;
    const expected = fits || count === this.#maxDequeued ? STATUS.OK : STATUS.BAD_VALUE;
    assertEquals(this.#queue.producer.setMaxDequeuedBufferCount(count), expected);
    if (expected === STATUS.OK) this.#maxDequeued = count;
  }

  reconnect(): void {
    const { producer } = this.#queue;
    assertEquals(producer.disconnect(1), STATUS.OK);
    assertEquals(producer.disconnect(1), STATUS.NO_INIT);
    got(producer.connect(1));
    this.#dequeued = [];
    this.#ready.clear();
    this.#hasQueued = false;
    for (const each of [...this.#queued, ...this.#taken]) each.isStale = true;
  }
}

/** The steps of a schedule, by name. */
export const STEPS = {
  dequeue: (on: Schedule) => on.dequeue(),
  queue: (on: Schedule, choice: number) => on.queue(choice, false),
  queueLater: (on: Schedule, choice: number) => on.queue(choice, true),
  cancel: (on: Schedule, choice: number) => on.cancel(choice, on.signal(choice % 2 === 0)),
  acquire: (on: Schedule) => on.acquire(),
  release: (on: Schedule, choice: number) => on.release(choice, {}),
  releaseLater: (on: Schedule, choice: number) => on.release(choice, on.signal(true)),
  signal: (on: Schedule, choice: number) => on.giveSignal(choice),
  resize: (on: Schedule, choice: number) => on.resize(choice),
  discard: (on: Schedule) => on.discard(),
  mailbox: (on: Schedule) => on.setAsync(true),
  fifo: (on: Schedule) => on.setAsync(false),
  maxDequeued: (on: Schedule, choice: number) => on.setMaxDequeued(1 + choice % 4),
  reconnect: (on: Schedule) => on.reconnect(),
} as const;
