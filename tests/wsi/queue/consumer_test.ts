import { assert, assertEquals } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NO_BUFFER_AVAILABLE, PRESENT_LATER, STALE_BUFFER_SLOT } from "../../../wsi/queue/acquire.ts";
import type { BufferQueue } from "../../../wsi/queue/buffer_queue.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { got } from "../got.ts";
import { leavesNothing } from "../leaves_nothing.ts";
import { dequeueSlot, openFence, openQueue, queueFrame } from "./open_queue.ts";

const { OK, BAD_VALUE, INVALID_OPERATION, NO_MEMORY } = STATUS;

/** Defines a test that ends with the queue abandoned and nothing left. */
function test(name: string, run: (queue: BufferQueue, told: string[]) => void): void {
  Deno.test(`BufferConsumer ${name}`, () =>
    leavesNothing(() => {
      const told: string[] = [];
      const queue = openQueue({
        onFrameAvailable: (frame) => told.push(`available ${frame}`),
        onFrameReplaced: (frame, replaced) => told.push(`replaced ${replaced} by ${frame}`),
        onFrameDropped: () => told.push("dropped"),
        onBuffersReleased: (slots) => told.push(`released ${slots}`),
        onDisconnect: () => told.push("disconnect"),
      });
      run(queue, told);
      queue.consumer.disconnect();
    }));
}

test("takes the oldest frame, and one more than it keeps", (queue) => {
  const { producer, consumer } = queue;
  producer.setMaxDequeuedBufferCount(4);
  for (let frame = 0; frame < 3; frame++) queueFrame(queue);
  const taken = [got(consumer.acquireBuffer()), got(consumer.acquireBuffer())];
  assertEquals(taken.map((item) => item.frameNumber), [1n, 2n]);
  assertEquals(consumer.acquireBuffer(), INVALID_OPERATION);
  for (const item of taken) consumer.releaseItem(item, NativeFence.signaled());
  consumer.releaseItem(got(consumer.acquireBuffer()), NativeFence.signaled());
  assertEquals(consumer.acquireBuffer(), NO_BUFFER_AVAILABLE);
});

test("drops frames that are late, and leaves those that are early", (queue, told) => {
  const { producer, consumer } = queue, now = 10_000_000_000n;
  producer.setMaxDequeuedBufferCount(5);
  for (const early of [300n, 200n, 100n, -100n]) queueFrame(queue, { timestamp: now - early });
  const item = got(consumer.acquireBuffer({ expectedPresent: now, maxFrameNumber: 2n }));
  assertEquals(item.frameNumber, 2n); // 1 was late, 3 was not to be taken
  consumer.releaseItem(item, openFence());
  const next = got(consumer.acquireBuffer({ expectedPresent: now }));
  assertEquals([next.frameNumber, told.filter((each) => each === "dropped").length], [3n, 1]);
  consumer.releaseItem(next, NativeFence.signaled());
  assertEquals(consumer.acquireBuffer({ expectedPresent: now }), PRESENT_LATER);
  assertEquals(consumer.acquireBuffer({ expectedPresent: now + 100n, maxFrameNumber: 3n }), PRESENT_LATER);
  consumer.releaseItem(got(consumer.acquireBuffer({ expectedPresent: now + 100n })), NativeFence.signaled());
});

test("takes frames that asked for no time whatever it is, for who wants that", (queue) => {
  const { producer, consumer } = queue, now = monotonicNow() - 1000n; // as a clock has it that was stopped
  producer.setMaxDequeuedBufferCount(3);
  queueFrame(queue);
  queueFrame(queue, { timestamp: now + 300n });
  assertEquals(consumer.acquireBuffer({ expectedPresent: now }), PRESENT_LATER);
  const item = got(consumer.acquireBuffer({ expectedPresent: now, autoIsDue: true }));
  assertEquals(item.frameNumber, 1n);
  assertEquals(consumer.acquireBuffer({ expectedPresent: now, autoIsDue: true }), PRESENT_LATER);
  consumer.releaseItem(item, NativeFence.signaled());
});

test("believes no timestamp that is more than a second off", (queue) => {
  const { producer, consumer } = queue, now = 10_000_000_000n;
  producer.setMaxDequeuedBufferCount(3);
  queueFrame(queue, { timestamp: now + 2_000_000_000n });
  queueFrame(queue, { timestamp: 1n });
  const item = got(consumer.acquireBuffer({ expectedPresent: now }));
  assertEquals(item.frameNumber, 1n);
  consumer.releaseItem(item, NativeFence.signaled());
});

test("gives buffers back once, and only those that are still the same", (queue) => {
  const { producer, consumer } = queue;
  const slot = queueFrame(queue);
  assertEquals(consumer.releaseBuffer(slot, 1n, openFence()), BAD_VALUE); // not taken
  const item = got(consumer.acquireBuffer());
  assertEquals(consumer.releaseBuffer(slot, 2n, openFence()), STALE_BUFFER_SLOT);
  assertEquals(consumer.releaseBuffer(64, 1n, openFence()), BAD_VALUE);
  assertEquals(consumer.releaseItem(item, openFence()), OK);
  assertEquals(consumer.releaseBuffer(slot, 1n, openFence()), BAD_VALUE);
  assertEquals(producer.disconnect(1), OK);
  assertEquals(consumer.releaseBuffer(slot, 1n, openFence()), STALE_BUFFER_SLOT);
});

test("can take what was queued before the producer disconnected", (queue) => {
  const { producer, consumer } = queue;
  queueFrame(queue, { fence: openFence() });
  producer.disconnect(1);
  const item = got(consumer.acquireBuffer());
  assert(!item.buffer.isClosed);
  assertEquals(consumer.releaseItem(item, openFence()), STALE_BUFFER_SLOT);
  assert(item.buffer.isClosed);
});

test("sets its counts only while no producer is connected", ({ producer, consumer }) => {
  assertEquals([consumer.setMaxAcquiredBufferCount(2), consumer.setMaxBufferCount(3)], [
    INVALID_OPERATION,
    INVALID_OPERATION,
  ]);
  producer.disconnect(1);
  assertEquals([0, 63, 2].map((count) => consumer.setMaxAcquiredBufferCount(count)), [BAD_VALUE, BAD_VALUE, OK]);
  assertEquals([0, 65, 1, 3].map((count) => consumer.setMaxBufferCount(count)), [BAD_VALUE, BAD_VALUE, BAD_VALUE, OK]);
  assertEquals(producer.setMaxDequeuedBufferCount(2), BAD_VALUE); // four buffers
  assertEquals([consumer.setDefaultBufferSize(0, 1), consumer.setDefaultBufferSize(1, 1)], [BAD_VALUE, OK]);
});

test("has its usage bits in every buffer", (queue) => {
  queue.consumer.setConsumerUsageBits(0x800n);
  const slot = dequeueSlot(queue, { usage: 0x200n });
  assertEquals(got(queue.producer.requestBuffer(slot)).usage, 0xa00n);
});

test("takes buffers out and puts others in", (queue) => {
  const { producer, consumer } = queue;
  const slot = queueFrame(queue), item = got(consumer.acquireBuffer());
  assertEquals([consumer.detachBuffer(slot), consumer.detachBuffer(slot)], [OK, BAD_VALUE]);
  assertEquals(consumer.releaseItem(item, NativeFence.signaled()), STALE_BUFFER_SLOT);
  const own = allocateBuffer({ width: 8, height: 8, format: 1, usage: 0n }), attached = consumer.attachBuffer(own);
  assertEquals(consumer.attachBuffer(own), BAD_VALUE);
  assertEquals(consumer.releaseBuffer(attached, 0n, openFence()), OK);
  const again = got(producer.dequeueBuffer());
  assertEquals([again.slot, again.needsRequest], [attached, true]); // the producer has not seen it
  again.fence.close();
  const other = allocateBuffer({ width: 8, height: 8, format: 1, usage: 0n });
  assert(consumer.attachBuffer(other) >= 0);
  using third = allocateBuffer({ width: 8, height: 8, format: 1, usage: 0n });
  assertEquals(consumer.attachBuffer(third), NO_MEMORY);
});

test("is told what happens", (queue, told) => {
  const { producer, consumer } = queue;
  producer.setAsyncMode(true);
  const first = queueFrame(queue);
  queueFrame(queue);
  consumer.discardFreeBuffers();
  producer.disconnect(1);
  assertEquals(told.slice(0, 3), ["available 1", "replaced 1 by 2", `released ${first}`]);
  assertEquals(told.slice(3), ["released 1", "disconnect"]);
});

Deno.test("BufferConsumer tells the producer about released and discarded buffers", () =>
  leavesNothing(() => {
    const queue = openQueue(), { producer, consumer } = queue, told: string[] = [];
    producer.disconnect(1);
    const listener = {
      onBufferReleased: (slot: number) => told.push(`released ${slot}`),
      onBuffersDiscarded: (slots: readonly number[]) => told.push(`discarded ${slots}`),
    };
    got(producer.connect(1, { listener }));
    queueFrame(queue);
    consumer.releaseItem(got(consumer.acquireBuffer()), NativeFence.signaled());
    consumer.discardFreeBuffers();
    assertEquals(told, ["released 0", "discarded 0"]);
    consumer.disconnect();
  }));
