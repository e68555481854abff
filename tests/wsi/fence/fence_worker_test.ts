import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  closeDescriptor,
  createEvent,
  createPipe,
  eventCount,
  monotonicNow,
  nameOfDescriptor,
  openFile,
  POLL,
  pollDescriptor,
  pollDescriptors,
  signalEvent,
} from "../../../ffi/file/file_descriptor.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { closeFenceWorker, FenceWorker, fenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { WsiError } from "../../../wsi/error.ts";
import { openDescriptors, openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { assertNoMoreFiles } from "../files_left.ts";
import { DRIVERS, endingWorker, openTimelines } from "./timelines.ts";

/** A file descriptor beyond any limit. */
const NO_FILE = 2 ** 30;

const LONG = 20_000;

/** Events that are closed at the end of a `using` scope. */
function events(count: number): { fds: number[] } & Disposable {
  const fds = Array.from({ length: count }, createEvent);
  return { fds, [Symbol.dispose]: () => fds.forEach(closeDescriptor) };
}

/** The eventfds of this process: other files come and go as its other threads read some. */
function openEvents(): number[] {
  return openDescriptors().filter((fd) => eventCount(fd) !== undefined);
}

for (const [name, driver] of DRIVERS) {
  const here = needs(name, driver);

  Deno.test(`FenceWorker signals semaphores of ${name} while this thread is blocked`, here, () => {
    using vulkan = openTimelines(driver!);
    using made = events(1);
    const { on, device } = vulkan, semaphore = vulkan.timeline(), [fd] = made.fds;
    const job = fenceWorker().signalSemaphoreWhenReadable({ ...on, fd, semaphore, value: 5n });
    assertEquals(device.vkGetSemaphoreCounterValue(semaphore as never), 0n);
    signalEvent(fd);
    // The driver's own wait: nothing of this isolate runs until the value is there.
    const waited = device.vkWaitSemaphores(
      { pSemaphores: [semaphore as never], pValues: [5n] },
      BigInt(LONG) * 1_000_000n,
    );
    assertEquals([waited, device.vkGetSemaphoreCounterValue(semaphore as never)], [0, 5n]);
    fenceWorker().forgetDevice(on.device);
    assertEquals([job.pending, job.result], [false, 0]);
  });

  Deno.test(`FenceWorker writes events for semaphores of ${name} while this thread is blocked`, here, () => {
    using vulkan = openTimelines(driver!);
    using made = events(3);
    const { on, device } = vulkan, semaphore = vulkan.timeline();
    const jobs = made.fds.map((event, index) =>
      fenceWorker().writeEventWhenReached({ ...on, semaphore, value: BigInt(index + 1), event })
    );
    for (let value = 1n; value <= 3n; value++) {
      const event = made.fds[Number(value) - 1], before = monotonicNow();
      assert(!pollDescriptor(event, 0));
      device.vkSignalSemaphore({ semaphore: semaphore as never, value });
      assert(pollDescriptor(event, LONG));
      const { time } = jobs[Number(value) - 1], seen = eventCount(event)!;
      assert(seen >= before && seen <= monotonicNow());
      if (time !== undefined) assertEquals(time, seen);
    }
    while (fenceWorker().pending > 0) pollDescriptor(-1, 1); // the event comes first
  });

  Deno.test(`FenceWorker writes events for fences of ${name}, several devices at a time`, here, () => {
    using one = openTimelines(driver!);
    using other = openTimelines(driver!);
    using made = events(2);
    const fences = [one, other].map(({ device }) => device.vkCreateFence({}));
    [one, other].forEach(({ on }, index) =>
      fenceWorker().writeEventWhenFence({ ...on, fence: fences[index], event: made.fds[index] })
    );
    one.queue.vkQueueSubmit([], fences[0]);
    assert(pollDescriptor(made.fds[0], LONG));
    assert(!pollDescriptor(made.fds[1], 0));
    other.queue.vkQueueSubmit([], fences[1]);
    assert(pollDescriptor(made.fds[1], LONG));
    [one, other].forEach(({ device }, index) => device.vkDestroyFence(fences[index]));
  });

  Deno.test(`forgetDevice() ends what ${name} was to do, and leaves nobody waiting`, here, async () => {
    const files = openFiles();
    {
      using vulkan = openTimelines(driver!);
      using made = events(3);
      const { on } = vulkan, semaphore = vulkan.timeline(), [fd, first, second] = made.fds;
      const signalling = fenceWorker().signalSemaphoreWhenReadable({ ...on, fd, semaphore, value: 1n });
      fenceWorker().writeEventWhenReached({ ...on, semaphore, value: 1n, event: first });
      const fence = vulkan.device.vkCreateFence({});
      fenceWorker().writeEventWhenFence({ ...on, fence, event: second });
      assertEquals(fenceWorker().pending, 3);
      fenceWorker().forgetDevice(on.device);
      assertEquals([fenceWorker().pending, signalling.pending], [0, false]);
      assert(pollDescriptor(first, 0) && pollDescriptor(second, 0));
      assertEquals(vulkan.device.vkGetSemaphoreCounterValue(semaphore as never), 0n);
      fenceWorker().forgetDevice(on.device);
      vulkan.device.vkDestroyFence(fence);
    }
    await assertNoMoreFiles(files);
  });

  Deno.test(`FenceWorker carries 10,000 fences of ${name} without growing`, here, () => {
    using vulkan = openTimelines(driver!);
    const { on, device } = vulkan, semaphore = vulkan.timeline();
    let files = 0;
    for (let value = 1n; value <= 10_000n; value++) {
      const event = createEvent();
      device.vkSignalSemaphore({ semaphore: semaphore as never, value });
      fenceWorker().writeEventWhenReached({ ...on, semaphore, value, event });
      if (value % 64n === 0n) assert(pollDescriptor(event, LONG));
      closeDescriptor(event);
      if (value === 1024n) files = openFiles();
    }
    while (fenceWorker().pending > 0) pollDescriptor(-1, 1);
    assert(openFiles() <= files);
  });
}

Deno.test("FenceWorker waits for one or two file descriptors and says when they were ready", () => {
  using _end = endingWorker();
  using made = events(4);
  const [one, other, both, alone] = made.fds, worker = fenceWorker();
  const job = worker.writeEventWhenReadable({ fds: [one, other], event: both });
  worker.writeEventWhenReadable({ fds: [other], event: alone });
  signalEvent(one);
  assert(!pollDescriptor(both, 30));
  signalEvent(other);
  assert(pollDescriptor(both, LONG) && pollDescriptor(alone, LONG));
  while (job.pending) pollDescriptor(-1, 1);
  assertEquals(job.time, eventCount(both));
  assertThrows(() => worker.writeEventWhenReadable({ fds: [], event: both }), RangeError);
});

Deno.test("FenceJob.cancel() writes its event and lets go of its file descriptors", () => {
  using _end = endingWorker();
  using made = events(3);
  const [never, event, keeping] = made.fds, pipe = createPipe()!;
  const kept = fenceWorker().writeEventWhenReadable({ fds: [never], event: keeping });
  const job = fenceWorker().writeEventWhenReadable({ fds: [pipe.read, pipe.read], event });
  closeDescriptor(pipe.read);
  assertEquals([pollDescriptors([pipe.write], 0), pollDescriptor(event, 0)], [[0], false]);
  job.cancel();
  job.cancel();
  // Nobody reads the pipe any more.
  assertEquals([pollDescriptors([pipe.write], 0), pollDescriptor(event, 0)], [[POLL.ERR], true]);
  assertEquals([job.pending, kept.pending], [false, true]);
  closeDescriptor(pipe.write);
});

Deno.test("FenceWorker starts again after its thread has ended, by itself or closed", async () => {
  using made = events(2);
  const worker = new FenceWorker(), [fd, event] = made.fds, files = openFiles();
  signalEvent(fd);
  for (let round = 0; round < 3; round++) {
    const job = worker.writeEventWhenReadable({ fds: [fd], event });
    while (job.pending) pollDescriptor(-1, 1);
    if (round === 1) worker.close();
  }
  worker.close();
  worker.close();
  await assertNoMoreFiles(files);
});

Deno.test("FenceWorker refuses a file descriptor that is not open", () => {
  using made = events(1);
  const error = assertThrows(
    () => fenceWorker().writeEventWhenReadable({ fds: [NO_FILE], event: made.fds[0] }),
    WsiError,
  );
  assertEquals(error.code, "out-of-descriptors");
  closeFenceWorker();
});

Deno.test("whenReadable() waits for 600 fences at once, with the event loop alive", async () => {
  using made = events(600);
  const files = openFiles();
  const all = made.fds.map((fd) => fenceWorker().whenReadable(fd));
  assertEquals(fenceWorker().pending, 600);
  let ticks = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => ++ticks === 5 && (clearInterval(timer), resolve()), 2);
  });
  // Any other blocking call still finds a thread.
  assert((await Deno.readTextFile(new URL(import.meta.url))).length > 0);
  made.fds.forEach((fd) => signalEvent(fd));
  await Promise.all(all);
  assertEquals([ticks, fenceWorker().pending], [5, 0]);
  await assertNoMoreFiles(files);
});

Deno.test("whenReadable() takes another file descriptor in while its thread waits, also one that is always readable", async () => {
  using made = events(2);
  const files = openFiles(), order: string[] = [], note = (what: string) => () => void order.push(what);
  const first = fenceWorker().whenReadable(made.fds[0]).then(note("first"));
  await new Promise((resolve) => setTimeout(resolve, 5)); // the thread waits for the first alone
  const second = fenceWorker().whenReadable(made.fds[1]).then(note("second"));
  const disk = openFile(new URL(import.meta.url).pathname, 0);
  await fenceWorker().whenReadable(disk).then(note("file"));
  closeDescriptor(disk);
  signalEvent(made.fds[1]);
  await second;
  signalEvent(made.fds[0]);
  await first;
  assertEquals(order, ["file", "second", "first"]);
  await assertNoMoreFiles(files);
});

Deno.test("whenReadable() keeps no thread for a file that is always readable", async () => {
  const files = openFiles(), disk = openFile(new URL(import.meta.url).pathname, 0);
  await fenceWorker().whenReadable(disk);
  closeDescriptor(disk);
  await assertNoMoreFiles(files);
});

Deno.test("whenReadable() rejects when the kernel waits no more", async () => {
  using made = events(2);
  const before = openDescriptors(), stopping = new AbortController();
  const first = fenceWorker().whenReadable(made.fds[0], stopping.signal);
  const second = fenceWorker().whenReadable(made.fds[1]);
  const isWatch = (fd: number) => !before.includes(fd) && nameOfDescriptor(fd).includes("eventpoll");
  const [watch] = openDescriptors().filter(isWatch);
  callLibc("dup2", "s:ss", made.fds[0], watch); // int dup2(int oldfd, int newfd)
  stopping.abort(); // the wait that has begun ends, and the next one meets an eventfd
  await first;
  const { code, message } = await assertRejects(() => second, WsiError);
  assertEquals([code, message], ["fence-failed", "Cannot wait for a fence: epoll_wait() fails"]);
});

Deno.test("whenReadable() ends when it is told not to wait any more, and others go on", async () => {
  using made = events(2);
  const files = openFiles(), [one, other] = made.fds, stopping = new AbortController();
  const first = fenceWorker().whenReadable(one, stopping.signal), second = fenceWorker().whenReadable(other);
  stopping.abort();
  await first;
  await fenceWorker().whenReadable(one, stopping.signal);
  assertEquals(fenceWorker().pending, 1);
  signalEvent(other);
  await second;
  assertEquals(fenceWorker().pending, 0);
  await assertNoMoreFiles(files);
});

Deno.test("keep() keeps the thread between jobs until it is released or closed", async () => {
  using made = events(2);
  const [fd, event] = made.fds;
  signalEvent(fd);
  for (const isClosed of [false, true]) {
    const files = openFiles(), before = openEvents();
    const worker = new FenceWorker(), letGo = worker.keep();
    const kept = openEvents().filter((each) => !before.includes(each));
    for (let round = 0; round < 2; round++) {
      const job = worker.writeEventWhenReadable({ fds: [fd], event });
      while (job.pending) pollDescriptor(-1, 1);
      assert(kept.some((each) => eventCount(each) !== undefined), "its event is open");
    }
    if (isClosed) worker.close();
    letGo();
    letGo();
    await assertNoMoreFiles(files);
  }
});

Deno.test("whenReadable() counts a closed pipe as readable", async () => {
  const pipe = createPipe()!, ready = fenceWorker().whenReadable(pipe.read);
  let isReady = false;
  void ready.then(() => isReady = true);
  await Promise.resolve();
  assertEquals(isReady, false);
  closeDescriptor(pipe.write);
  await ready;
  assertEquals(isReady, true);
  closeDescriptor(pipe.read);
});

Deno.test("closeFenceWorker() rejects the promises of waiting callers", async () => {
  using made = events(1);
  const files = openFiles(), waiting = fenceWorker().whenReadable(made.fds[0]);
  closeFenceWorker();
  assertEquals((await assertRejects(() => waiting, WsiError)).code, "closed");
  assertEquals((await assertRejects(() => fenceWorker().whenReadable(NO_FILE), WsiError)).code, "out-of-descriptors");
  await assertNoMoreFiles(files);
});
