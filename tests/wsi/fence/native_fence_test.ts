import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  closeDescriptor,
  createEvent,
  createPipe,
  duplicate,
  monotonicNow,
  pollDescriptor,
  signalEvent,
} from "../../../ffi/file/file_descriptor.ts";
import { closeFenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { WsiError } from "../../../wsi/error.ts";
import { type FenceSource, NativeFence } from "../../../wsi/fence/native_fence.ts";
import { semaphoreSource, vkFenceSource } from "../../../wsi/fence/vulkan_source.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { assertNoMoreFiles } from "../files_left.ts";
import { DRIVERS, endingWorker, openTimelines } from "./timelines.ts";

/** A source that a test signals. */
function manual(): FenceSource & { done: boolean; closed: number } {
  return {
    done: false,
    closed: 0,
    poll() {
      return this.done;
    },
    wait(nanoseconds) {
      if (nanoseconds === 2n ** 64n - 1n) this.done = true; // what it waits for happens in the end
      return this.done;
    },
    toDescriptor: createEvent,
    describe: () => "a test",
    close() {
      this.closed++;
    },
  };
}

Deno.test("NativeFence.dup() opens no file until the duplicate is taken, and outlives the fence", () => {
  const files = openFiles(), fence = NativeFence.adopt(createEvent()), copy = fence.dup(), other = copy.dup();
  assertEquals([openFiles() - files, fence.isDuplicateOf(other), copy.isDuplicateOf(NativeFence.signaled())], [
    1,
    true,
    false,
  ]);
  fence.close();
  const taken = copy.take();
  assertEquals([openFiles() - files, other.poll()], [2, false], "a file of its own, as another fence is left");
  signalEvent(taken);
  assertEquals([other.poll(), openFiles() - files], [true, 1]);
  closeDescriptor(taken);
  const last = NativeFence.adopt(createEvent());
  closeDescriptor(last.take());
  assertEquals(openFiles(), files);
});

Deno.test("NativeFence.signaled() is signalled, since it was made, and is -1", async () => {
  const before = monotonicNow();
  for (const fence of [NativeFence.signaled(), NativeFence.adopt(-1), NativeFence.signaled().dup()]) {
    assertEquals([fence.poll(), fence.wait(), fence.kind], [true, true, "signaled"]);
    assert(fence.signalTime! >= before && fence.signalTime! <= monotonicNow());
    await fence.ready();
    assertEquals(fence.take(), -1);
  }
});

Deno.test("NativeFence.create() is signalled once, for all duplicates, which know when", async () => {
  const files = openFiles(), { fence, signal } = NativeFence.create();
  const copy = fence.dup(), native = fence.dup().take();
  assertEquals([fence.kind, fence.poll(), copy.wait(1), fence.signalTime], ["eventfd", false, false, undefined]);
  const before = monotonicNow();
  signal();
  signal();
  assertEquals([fence.poll(), copy.poll(), pollDescriptor(native, 0)], [true, true, true]);
  assert(fence.signalTime! >= before && fence.signalTime === copy.signalTime);
  // Whoever gets the file descriptor back from native code learns the same.
  using back = NativeFence.adopt(native);
  assertEquals([back.poll(), back.signalTime], [true, fence.signalTime]);
  for (const each of [fence, copy]) each.close();
  await assertNoMoreFiles(files);
});

Deno.test("NativeFence.adopt() dates the fences of others when they are first seen", () => {
  const event = createEvent();
  using fence = NativeFence.adopt(duplicate(event));
  signalEvent(event); // adds 1, which is no time
  const before = monotonicNow(), time = fence.signalTime!;
  assert(time >= before && time <= monotonicNow());
  assertEquals(fence.signalTime, time);
  closeDescriptor(event);
});

Deno.test("NativeFence.adopt() takes a pipe that is signalled by closing it", async () => {
  const pipe = createPipe()!;
  using fence = NativeFence.adopt(pipe.read);
  assert(!fence.poll());
  const ready = fence.ready();
  closeDescriptor(pipe.write);
  await ready;
  assert(fence.poll());
});

Deno.test("NativeFence throws for a file descriptor that can't be polled", async () => {
  const fd = createEvent(), fence = NativeFence.adopt(fd);
  closeDescriptor(fd);
  assertEquals(assertThrows(() => fence.poll(), WsiError, "who closed it?").code, "fence-failed");
  assertEquals(fence.describe(), `fence of file descriptor ${fd}, broken`);
  await assertRejects(() => fence.ready(), WsiError);
  // A pipe nobody reads reports an error to its writer.
  const pipe = createPipe()!;
  closeDescriptor(pipe.read);
  using broken = NativeFence.adopt(pipe.write);
  assertThrows(() => broken.wait(), WsiError, "reports an error");
});

Deno.test("NativeFence.of() polls its source, shares the source, and closes it with the last fence", () => {
  const source = manual(), fence = NativeFence.of(source), copy = fence.dup();
  assertEquals([fence.kind, fence.poll(), fence.describe()], ["source", false, "fence of a test, pending"]);
  fence.close();
  fence.close();
  assertEquals([source.closed, copy.wait(5)], [0, false]);
  assertEquals([copy.wait(), copy.poll(), source.closed, copy.kind], [true, true, 1, "signaled"]);
  const native = NativeFence.of(manual()).take();
  assert(native >= 0 && !pollDescriptor(native, 0));
  closeDescriptor(native);
});

Deno.test("NativeFence.merge() is signalled when both are", async () => {
  const files = openFiles(), one = NativeFence.create(), other = NativeFence.create();
  const merged = NativeFence.merge(one.fence, other.fence), copy = merged.dup();
  one.signal();
  assertEquals([merged.poll(), merged.wait(1), copy.signalTime], [false, false, undefined]);
  assert(merged.describe().includes("both of"));
  other.signal();
  assertEquals([merged.poll(), copy.wait()], [true, true]);
  assertEquals(merged.signalTime, other.fence.signalTime);
  for (const each of [one.fence, other.fence, merged, copy]) each.close();
  await assertNoMoreFiles(files);
});

Deno.test("NativeFence.merge() leaves out signalled fences", () => {
  const { fence, signal } = NativeFence.create();
  using merged = NativeFence.merge(NativeFence.signaled(), fence);
  using other = NativeFence.merge(fence, NativeFence.signaled());
  assertEquals([merged.kind, other.kind, merged.poll()], ["eventfd", "eventfd", false]);
  signal();
  assertEquals([merged.poll(), other.poll(), NativeFence.merge(merged, other).kind], [true, true, "signaled"]);
  fence.close();
});

Deno.test("NativeFence.merge() of two signalled fences has the time of the later one", () => {
  const one = NativeFence.create(), other = NativeFence.create();
  using first = one.fence;
  using second = other.fence;
  one.signal();
  other.signal();
  assert(first.signalTime! < second.signalTime!);
  using merged = NativeFence.merge(first, second);
  using reversed = NativeFence.merge(second, first);
  assertEquals([merged, reversed].map(({ signalTime }) => signalTime), [second.signalTime, second.signalTime]);
});

Deno.test("a merged fence has a file descriptor that is signalled while this thread is blocked", () => {
  using _end = endingWorker();
  const one = NativeFence.create(), other = NativeFence.create(), third = NativeFence.create();
  const pair = NativeFence.merge(one.fence, other.fence), all = NativeFence.merge(pair, third.fence);
  const fd = all.take();
  for (const { signal } of [third, one]) signal();
  assert(!pollDescriptor(fd, 20));
  other.signal();
  assert(pollDescriptor(fd, 20_000));
  for (const each of [one.fence, other.fence, third.fence, pair]) each.close();
  closeDescriptor(fd);
});

Deno.test("NativeFence.ready() resolves for 600 fences of every kind while the event loop lives", async () => {
  using _end = endingWorker();
  const files = openFiles(), made = Array.from({ length: 200 }, () => NativeFence.create());
  const fences = made.map(({ fence }, index) => index % 2 === 0 ? fence : NativeFence.merge(fence, made[0].fence));
  let ready = 0;
  const all = [...fences, ...fences, ...fences].map((fence) => fence.ready().then(() => ready++));
  const last = NativeFence.create();
  last.signal();
  await last.fence.ready(); // the worker has looked at all that it was given before
  assertEquals(ready, 0);
  for (const { signal } of made) signal();
  await Promise.all(all);
  assert(fences.every((fence) => fence.poll() && fence.signalTime !== undefined));
  for (const { fence } of [...made, last]) fence.close();
  closeFenceWorker();
  await assertNoMoreFiles(files);
});

for (const [name, driver] of DRIVERS) {
  Deno.test(`semaphoreSource() makes fences of ${name}'s timelines`, needs(name, driver), async () => {
    using vulkan = openTimelines(driver!);
    const { on, device } = vulkan, semaphore = vulkan.timeline();
    const signal = (value: bigint) => device.vkSignalSemaphore({ semaphore: semaphore as never, value });
    using first = NativeFence.of(semaphoreSource({ ...on, semaphore, value: 1n }));
    using second = NativeFence.of(semaphoreSource({ ...on, semaphore, value: 2n }));
    using native = NativeFence.adopt(second.dup().take());
    assertEquals([first.poll(), second.wait(1), native.poll()], [false, false, false]);
    assert(second.describe().includes("at 2"));
    signal(1n);
    assertEquals([first.wait(), second.poll()], [true, false]);
    const ready = second.ready(), before = monotonicNow();
    signal(2n);
    assert(native.wait(20_000));
    await ready;
    assert(second.poll() && native.signalTime! >= before && second.signalTime! <= monotonicNow());
  });

  Deno.test(`vkFenceSource() makes fences of ${name}'s`, needs(name, driver), () => {
    using vulkan = openTimelines(driver!);
    const { on, device, queue } = vulkan, fence = device.vkCreateFence({});
    {
      using waiting = NativeFence.of(vkFenceSource({ ...on, fence }));
      using native = NativeFence.adopt(waiting.dup().take());
      assertEquals([waiting.poll(), native.poll()], [false, false]);
      queue.vkQueueSubmit([], fence);
      assert(waiting.wait() && native.wait(20_000));
    }
    const done = NativeFence.of(vkFenceSource({ ...on, fence })).take();
    assertEquals(done, -1);
    device.vkDestroyFence(fence);
  });
}
