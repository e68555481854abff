import { assert, assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { registerLayout } from "../../../wsi/buffer/layout.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { BufferQueue } from "../../../wsi/queue/buffer_queue.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { got } from "../got.ts";
import { leavesNothing } from "../leaves_nothing.ts";
import { dequeueSlot, openFence, openQueue, queueFrame } from "./open_queue.ts";

const { OK, NO_INIT, BAD_VALUE, INVALID_OPERATION, TIMED_OUT, WOULD_BLOCK, NO_MEMORY } = STATUS;

/** Defines a test that ends with the queue abandoned and nothing left. */
function test(name: string, run: (queue: BufferQueue) => void): void {
  Deno.test(`BufferProducer ${name}`, () =>
    leavesNothing(() => {
      const queue = openQueue();
      run(queue);
      queue.consumer.disconnect();
    }));
}

test("connects one at a time, as an API there is, when there is a consumer", ({ producer }) => {
  assertEquals(producer.connect(1), BAD_VALUE);
  assertEquals([producer.disconnect(2), producer.disconnect(1), producer.disconnect(1)], [BAD_VALUE, OK, NO_INIT]);
  assertEquals([producer.connect(0), producer.connect(5)], [BAD_VALUE, BAD_VALUE]);
  assertEquals(new BufferQueue().producer.connect(1), NO_INIT);
  const output = { width: 8, height: 8, transformHint: 0, numPendingBuffers: 0, nextFrameNumber: 1n };
  assertEquals(producer.connect(4), { ...output, bufferReplaced: false });
});

test("says NO_INIT to everything without a connection, and closes the fences", ({ producer }) => {
  producer.disconnect(1);
  assertEquals([producer.dequeueBuffer(), producer.requestBuffer(0), producer.detachBuffer(0)], [
    NO_INIT,
    NO_INIT,
    NO_INIT,
  ]);
  assertEquals(producer.queueBuffer(0, { fence: openFence() }), NO_INIT);
  assertEquals(producer.cancelBuffer(0, openFence()), NO_INIT);
});

test("says NO_INIT to everything once the consumer is gone, and closes the fences", (queue) => {
  const { producer, consumer } = queue, slot = dequeueSlot(queue);
  queueFrame(queue, { fence: openFence() });
  assertEquals(consumer.disconnect(), OK);
  assertEquals(consumer.disconnect(), BAD_VALUE);
  const fence = openFence();
  assertEquals(producer.queueBuffer(slot, { fence }), NO_INIT);
  assertEquals(producer.cancelBuffer(slot, openFence()), NO_INIT);
  const statuses = [
    producer.dequeueBuffer(),
    producer.requestBuffer(slot),
    producer.connect(1),
    producer.setAsyncMode(true),
    producer.setMaxDequeuedBufferCount(2),
    producer.setDequeueTimeout(0n),
    producer.setSharedBufferMode(true),
    producer.setAutoRefresh(true),
    producer.setGenerationNumber(1),
    producer.allocateBuffers(),
    producer.allowAllocation(true),
    producer.detachNextBuffer(),
    producer.query("WIDTH"),
    consumer.acquireBuffer(),
  ];
  assertEquals(statuses, statuses.map(() => NO_INIT));
  assertEquals(producer.disconnect(1), OK); // nothing is left to do
});

test("hands out all buffers before the first frame, then as many as are agreed on", (queue) => {
  const { producer } = queue;
  producer.setMaxDequeuedBufferCount(2);
  const slots = [dequeueSlot(queue), dequeueSlot(queue), dequeueSlot(queue)];
  assertEquals(producer.dequeueBuffer(), TIMED_OUT);
  got(producer.queueBuffer(slots[0], { fence: NativeFence.signaled() }));
  assertEquals(producer.dequeueBuffer(), INVALID_OPERATION); // at once, though one is queued
  producer.cancelBuffer(slots[1], NativeFence.signaled());
  assertEquals(dequeueSlot(queue), slots[1]);
});

test("hands out the buffer first that has been free longest", (queue) => {
  queue.producer.setMaxDequeuedBufferCount(3);
  const [first, second, third] = [dequeueSlot(queue), dequeueSlot(queue), dequeueSlot(queue)];
  for (const slot of [third, first, second]) queue.producer.cancelBuffer(slot, NativeFence.signaled());
  assertEquals([dequeueSlot(queue), dequeueSlot(queue), dequeueSlot(queue)], [third, first, second]);
});

test("does not wait between apps, until it sets a timeout", (queue) => {
  const { producer, consumer } = queue;
  producer.disconnect(1);
  consumer.connect({}, true);
  got(producer.connect(1, { controlledByApp: true }));
  assertEquals(producer.query("MIN_UNDEQUEUED_BUFFERS"), 2);
  for (let index = 0; index < 3; index++) dequeueSlot(queue);
  assertEquals(producer.dequeueBuffer(), WOULD_BLOCK);
  producer.cancelBuffer(0, NativeFence.signaled());
  assertEquals(producer.setDequeueTimeout(1000n), OK);
  assertEquals([producer.query("MIN_UNDEQUEUED_BUFFERS"), producer.dequeueBuffer()], [1, TIMED_OUT]);
});

test("keeps a buffer as long as it does, and makes another when it does not", (queue) => {
  const { producer } = queue, rule = registerLayout(() => ({ rowPitch: 256, size: 256 * 8 }));
  const draw = (request: Parameters<typeof dequeueSlot>[1]) => {
    const slot = dequeueSlot(queue, request), buffer = got(producer.requestBuffer(slot));
    producer.cancelBuffer(slot, NativeFence.signaled());
    return buffer;
  };
  const first = draw({ usage: 0x300n });
  assertStrictEquals(draw({ usage: 0x100n }), first); // it can more than that
  const requests = [{ usage: 0x800n }, { width: 9, height: 8 }, { format: 4 }, { usage: rule.usage | 0x100n }, {}];
  let last = first;
  for (const request of requests) {
    const buffer = draw(request);
    assertNotStrictEquals(buffer, last);
    assert(last.isClosed);
    last = buffer;
    if (request.usage && request.usage > 0x800n) assertEquals([buffer.rowPitch, draw(request)], [256, buffer]);
  }
  assertEquals([producer.dequeueBuffer({ width: 9 }), producer.dequeueBuffer({ width: -1, height: -1 })], [
    BAD_VALUE,
    BAD_VALUE,
  ]);
  rule.forget();
});

test("says which status an allocation failed with, and keeps the slot", (queue) => {
  assertEquals(queue.producer.dequeueBuffer({ format: 0x7777 }), BAD_VALUE);
  assertEquals(queue.count().free, 2);
});

test("tells a buffer's age, and its fence as the last one left it", (queue) => {
  const { producer, consumer } = queue;
  producer.setMaxDequeuedBufferCount(2);
  queueFrame(queue);
  queueFrame(queue);
  const item = got(consumer.acquireBuffer()), { fence, signal } = NativeFence.create();
  consumer.releaseItem(item, fence);
  const first = got(producer.dequeueBuffer()); // the freed one, before an empty slot
  assertEquals([first.slot, first.bufferAge, producer.query("BUFFER_AGE")], [item.slot, 2n, 2]);
  assertEquals(first.fence.poll(), false); // held back by a fence alone, it is handed out with that
  signal();
  assertEquals(first.fence.poll(), true);
  producer.cancelBuffer(first.slot, first.fence);
});

test("refuses to queue what was not dequeued or asked for, or lies outside", ({ producer }) => {
  const { slot } = got(producer.dequeueBuffer());
  assertEquals(producer.queueBuffer(slot, { fence: openFence() }), BAD_VALUE); // nobody asked for the buffer
  got(producer.requestBuffer(slot));
  const crop = { left: 0, top: 0, right: 9, bottom: 8 };
  assertEquals(producer.queueBuffer(slot, { fence: openFence(), crop }), BAD_VALUE);
  assertEquals(producer.queueBuffer(slot, { fence: openFence(), scalingMode: 4 }), BAD_VALUE);
  for (const other of [slot + 1, -1, 64]) {
    assertEquals(producer.queueBuffer(other, { fence: openFence() }), BAD_VALUE);
    assertEquals(producer.cancelBuffer(other, openFence()), BAD_VALUE);
    assertEquals(producer.requestBuffer(other), BAD_VALUE);
  }
  got(producer.queueBuffer(slot, { fence: openFence() }));
});

test("sends what it says of a frame along with it", (queue) => {
  const { producer, consumer } = queue;
  const said = {
    timestamp: 77n,
    dataspace: 142671872,
    crop: { left: 1, top: 2, right: 3, bottom: 4 },
    scalingMode: 2,
    damage: [{ left: 0, top: 0, right: 2, bottom: 2 }],
    cta8613: { maxContentLightLevel: 1, maxFrameAverageLightLevel: 2 },
  };
  queueFrame(queue, { ...said, transform: 4 | 8 });
  const item = got(consumer.acquireBuffer());
  const { timestamp, dataspace, crop, scalingMode, damage, cta8613 } = item;
  assertEquals({ timestamp, dataspace, crop, scalingMode, damage, cta8613 }, said);
  assertEquals([item.transform, item.transformToDisplayInverse, item.isAutoTimestamp], [4, true, false]);
  consumer.releaseItem(item, NativeFence.signaled());
  consumer.setDefaultBufferDataspace(9);
  const before = monotonicNow(), slot = dequeueSlot(queue);
  const output = got(producer.queueBuffer(slot, { fence: NativeFence.signaled() }));
  assertEquals([output.numPendingBuffers, output.nextFrameNumber], [1, 3n]);
  const auto = got(consumer.acquireBuffer());
  assertEquals([auto.dataspace, auto.isAutoTimestamp], [9, true]);
  assert(auto.timestamp >= before && auto.timestamp <= monotonicNow());
  consumer.releaseItem(auto, NativeFence.signaled());
});

test("refuses counts that do not fit", (queue) => {
  const { producer } = queue;
  assertEquals([0, 64, 63, 2].map((count) => producer.setMaxDequeuedBufferCount(count)), [
    BAD_VALUE,
    BAD_VALUE,
    OK,
    OK,
  ]);
  dequeueSlot(queue);
  dequeueSlot(queue);
  assertEquals(producer.setMaxDequeuedBufferCount(1), BAD_VALUE);
  assertEquals(producer.setMaxDequeuedBufferCount(63), OK);
  assertEquals(producer.setAsyncMode(true), BAD_VALUE); // 65 buffers
});

test("allocates ahead, and only if that is allowed", (queue) => {
  const { producer } = queue;
  assertEquals(producer.allocateBuffers(), OK);
  assertEquals(queue.count(), { usable: 2, free: 2, dequeued: 0, queued: 0, acquired: 0, buffers: 2 });
  queue.consumer.discardFreeBuffers();
  assertEquals(producer.allowAllocation(false), OK);
  assertEquals([producer.allocateBuffers(), producer.dequeueBuffer()], [INVALID_OPERATION, TIMED_OUT]);
  assertEquals(producer.allowAllocation(true), OK);
  producer.cancelBuffer(dequeueSlot(queue), NativeFence.signaled());
  producer.allowAllocation(false);
  assertEquals(producer.dequeueBuffer({ width: 9, height: 9 }), TIMED_OUT); // the buffer that does not fit is gone
  assertEquals(queue.count().buffers, 0);
  producer.allowAllocation(true);
  assertEquals(producer.allocateBuffers({ format: 0x7777 }), BAD_VALUE);
  assertEquals(queue.count().free, 2);
});

test("takes buffers out and puts others in", (queue) => {
  const { producer, consumer } = queue;
  const slot = dequeueSlot(queue), buffer = got(producer.requestBuffer(slot));
  assertEquals([producer.detachBuffer(slot), producer.detachBuffer(slot)], [OK, BAD_VALUE]);
  assert(!buffer.isClosed);
  const attached = producer.attachBuffer(buffer);
  assertEquals(producer.attachBuffer(buffer), BAD_VALUE); // it is in already
  got(producer.queueBuffer(attached, { fence: NativeFence.signaled() }));
  const item = got(consumer.acquireBuffer());
  assertStrictEquals(item.buffer, buffer);
  consumer.releaseItem(item, openFence());
  const next = got(producer.detachNextBuffer());
  assertStrictEquals(next.buffer, buffer);
  next.fence.close();
  assertEquals(producer.detachNextBuffer(), NO_MEMORY);
  next.buffer.close();
});

test("attaches buffers of its generation only", ({ producer }) => {
  using foreign = allocateBuffer({ width: 8, height: 8, format: 1, usage: 0n });
  assertEquals([producer.setGenerationNumber(5), producer.attachBuffer(foreign)], [OK, BAD_VALUE]);
});

test("lets a newer frame take the place of one in mailbox mode", (queue) => {
  const { producer, consumer } = queue;
  assertEquals([producer.setAsyncMode(true), producer.query("MIN_UNDEQUEUED_BUFFERS")], [OK, 2]);
  const { fence, signal } = NativeFence.create();
  const slot = queueFrame(queue, { fence });
  for (let frame = 0; frame < 9; frame++) queueFrame(queue);
  assertEquals(consumer.pending, 1);
  const item = got(consumer.acquireBuffer());
  assertEquals(item.frameNumber, 10n);
  assert(slot >= 0);
  consumer.releaseItem(item, NativeFence.signaled());
  signal();
});
