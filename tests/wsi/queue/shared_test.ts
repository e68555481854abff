import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { BufferItem } from "../../../wsi/queue/buffer_item.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { got } from "../got.ts";
import { leavesNothing } from "../leaves_nothing.ts";
import { openQueue, queueFrame } from "./open_queue.ts";

Deno.test("BufferQueue has one buffer on all sides in shared mode", () =>
  leavesNothing(() => {
    const queue = openQueue(), { producer, consumer } = queue;
    assertEquals(producer.setSharedBufferMode(true), STATUS.OK);
    const slot = queueFrame(queue), item = got(consumer.acquireBuffer());
    assertEquals(queueFrame(queue), slot);
    assertEquals(queueFrame(queue), slot); // takes the place of the one before
    assertEquals([queue.count().buffers, consumer.pending], [1, 1]);
    const again = got(producer.dequeueBuffer());
    const newer = got(consumer.acquireBuffer());
    assertStrictEquals(newer.buffer, item.buffer);
    assertEquals([item.frameNumber, newer.frameNumber], [1n, 3n]);
    assertEquals(producer.cancelBuffer(again.slot, NativeFence.signaled()), STATUS.BAD_VALUE);
    assertEquals(producer.detachBuffer(slot), STATUS.BAD_VALUE);
    consumer.releaseItem(item, NativeFence.signaled());
    consumer.releaseItem(newer, NativeFence.signaled());
    consumer.disconnect();
  }));

Deno.test("BufferQueue returns the shared buffer again at each refresh with auto refresh", () =>
  leavesNothing(() => {
    const queue = openQueue(), { producer, consumer } = queue;
    producer.setSharedBufferMode(true);
    assertEquals(consumer.refreshes, false);
    producer.setAutoRefresh(true);
    queueFrame(queue);
    assertEquals(consumer.refreshes, true);
    for (let refresh = 0; refresh < 3; refresh++) {
      const item = got(consumer.acquireBuffer());
      assertEquals(item.frameNumber, 1n);
      assertEquals(consumer.releaseItem(item, NativeFence.signaled()), STATUS.OK);
    }
    producer.setAutoRefresh(false);
    assertEquals(consumer.acquireBuffer(), 3); // NO_BUFFER_AVAILABLE
    consumer.disconnect();
  }));

Deno.test("BufferQueue does not reallocate the shared buffer, and forgets the buffer when shared mode ends", () =>
  leavesNothing(() => {
    const queue = openQueue(), { producer, consumer } = queue;
    producer.setSharedBufferMode(true);
    queueFrame(queue);
    assertEquals(producer.dequeueBuffer({ width: 9, height: 9 }), STATUS.BAD_VALUE);
    const item = got(consumer.acquireBuffer());
    producer.setSharedBufferMode(false);
    consumer.releaseItem(item, NativeFence.signaled());
    assertEquals(queue.count().free, queue.count().usable);
    assert(got(producer.dequeueBuffer({ width: 9, height: 9 })).needsRequest);
    consumer.disconnect();
  }));

/** A queue whose mode changes at random, with only what must always hold. */
class Chaos {
  readonly #queue = openQueue();
  readonly #taken: BufferItem[] = [];
  readonly #dequeued: number[] = [];
  readonly #signals: (() => void)[] = [];
  #last = 0n;

  step(name: string, isPending: boolean): void {
    const { producer, consumer } = this.#queue;
    if (name === "shared" || name === "refresh") {
      producer[name === "shared" ? "setSharedBufferMode" : "setAutoRefresh"](isPending);
    } else if (name === "dequeue") this.#dequeue();
    else if (name === "mailbox") producer.setAsyncMode(isPending);
    else if (name === "release") this.#release(this.#taken.shift(), isPending);
    else if (name === "acquire") this.#acquire();
    else if (name === "reconnect") this.#reconnect();
    else this.#handBack(name, isPending);
    if (name === "discard") consumer.discardFreeBuffers();
  }

  #fence(isPending: boolean): NativeFence {
    if (!isPending) return NativeFence.signaled();
    const { fence, signal } = NativeFence.create();
    this.#signals.push(signal);
    return fence;
  }

  #dequeue(): void {
    const result = this.#queue.producer.dequeueBuffer();
    if (typeof result === "number") return;
    result.fence.close();
    assert(!got(this.#queue.producer.requestBuffer(result.slot)).isClosed);
    this.#dequeued.push(result.slot);
  }

  #handBack(name: string, isPending: boolean): void {
    const slot = this.#dequeued.shift(), { producer } = this.#queue;
    if (slot === undefined) return;
    const fence = this.#fence(isPending);
    if (name === "queue") return void got(producer.queueBuffer(slot, { fence }));
    if (producer.cancelBuffer(slot, fence) !== STATUS.OK) this.#dequeued.push(slot);
  }

  #acquire(): void {
    const isNew = this.#queue.consumer.pending > 0, result = this.#queue.consumer.acquireBuffer();
    if (typeof result === "number") return;
    assert(!result.buffer.isClosed, "a taken frame has its buffer");
    this.#taken.push(result);
    if (!isNew) return; // the shared buffer once more, which a frame from before shared mode may have followed
    assert(result.frameNumber > this.#last, "frames come in order, and once");
    this.#last = result.frameNumber;
  }

  #release(item: BufferItem | undefined, isPending: boolean): void {
    if (item) this.#queue.consumer.releaseItem(item, this.#fence(isPending));
  }

  #reconnect(): void {
    assertEquals(this.#queue.producer.disconnect(1), STATUS.OK);
    got(this.#queue.producer.connect(1));
    this.#dequeued.length = 0;
  }

  end(): void {
    const { producer, consumer } = this.#queue;
    producer.setSharedBufferMode(false);
    for (const slot of this.#dequeued.splice(0)) {
      assertEquals(producer.cancelBuffer(slot, NativeFence.signaled()), STATUS.OK, "a dequeued slot can be cancelled");
    }
    for (const item of this.#taken.splice(0)) this.#release(item, false);
    while (consumer.pending > 0) {
      this.#acquire();
      this.#release(this.#taken.shift(), false);
    }
    const { free, usable } = this.#queue.count();
    assertEquals(free, usable, "free slots when nobody has any");
    for (const signal of this.#signals) signal();
    consumer.disconnect();
  }
}

const names = ["shared", "refresh", "dequeue", "dequeue", "queue", "queue", "cancel", "acquire", "acquire", "release"];
const step = fc.tuple(fc.constantFrom(...names, "release", "mailbox", "discard", "reconnect"), fc.boolean());

Deno.test("BufferQueue loses no slot, fence or buffer however shared mode comes and goes", () => {
  const run = (steps: readonly (readonly [string, boolean])[]) => {
    const chaos = new Chaos();
    for (const [name, isPending] of steps) chaos.step(name, isPending);
    chaos.end();
  };
  const schedules = fc.array(step, { minLength: 20, maxLength: 60 });
  leavesNothing(() => fc.assert(fc.property(schedules, run), { numRuns: 400 }));
});
