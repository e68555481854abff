import { assert, assertEquals, assertNotStrictEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { NativeWindow, type NativeWindowOptions } from "../../../wsi/window/native_window.ts";
import { got } from "../got.ts";
import { leavesNothing } from "../leaves_nothing.ts";
import { dequeue, draw, taker } from "./taker.ts";

const { OK, NO_INIT, BAD_VALUE, INVALID_OPERATION, TIMED_OUT } = STATUS;

/** Defines a test with a window of 64 by 32 pixels that a producer is connected to. */
function test(
  name: string,
  options: () => Partial<NativeWindowOptions> & { consumer?: ReturnType<typeof taker> },
  run: (native: NativeWindow, consumer: ReturnType<typeof taker>) => void,
): void {
  Deno.test(`NativeWindow ${name}`, () =>
    leavesNothing(() => {
      const given = options();
      using native = new NativeWindow({ width: 64, height: 32, ...given });
      assertEquals(native.apiConnect(1), OK);
      run(native, given.consumer!);
    }));
}

const withTaker = () => ({ consumer: taker() });

test("hands frames to its consumer in order", withTaker, (native, consumer) => {
  assertEquals(native.setBufferCount(3), OK);
  for (let frame = 0; frame < 5; frame++) draw(native);
  assertEquals(consumer.seen.map(({ number }) => number), [1n, 2n, 3n, 4n, 5n]);
  const counts = { queued: 5, acquired: 5, released: 5, dropped: 0, cancelled: 0, copies: 0 };
  assertEquals(native.statistics, counts);
});

test("answers a producer's questions", () => ({ transformHint: 4, defaultFormat: 2, refreshRate: 50 }), (native) => {
  const names = ["DEFAULT_WIDTH", "DEFAULT_HEIGHT", "FORMAT", "MIN_UNDEQUEUED_BUFFERS", "MAX_BUFFER_COUNT"] as const;
  assertEquals(names.map((name) => native.query(name)), [64, 32, 2, 1, 64]);
  assertEquals([native.query("TRANSFORM_HINT"), native.query("BUFFER_AGE"), native.query("IS_VALID")], [4, 0, 1]);
  assertEquals([native.query("DEFAULT_DATASPACE"), native.consumerUsage()], [0, 3n]);
  assertEquals([native.refreshCycleDuration(), native.nextFrameId()], [20_000_000n, 1n]);
  native.setTransformHint(7);
  native.resize(10, 20);
  assertEquals([native.query("TRANSFORM_HINT"), native.query("DEFAULT_HEIGHT"), native.frames.height], [7, 20, 20]);
  assertEquals([native.setSwapInterval(0), native.query("MIN_UNDEQUEUED_BUFFERS")], [OK, 2]);
});

test("refuses what cannot be", withTaker, (native) => {
  const refused = [
    native.setBuffersDimensions(1, 0),
    native.setBuffersDimensions(-1, -1),
    native.setBuffersFormat(-1),
    native.setBuffersTransform(16),
    native.setScalingMode(4),
    native.setScalingMode(-1),
    native.setBufferCount(-1),
    native.setBufferCount(1),
    native.setBufferCount(65),
    native.setUsage(-1n),
    native.setUsage(2n ** 64n),
    native.setUsage(3 as never),
    native.setBuffersFormat(2 ** 32),
    native.setBuffersDimensions(2 ** 32, 1),
    native.setBuffersDataspace(2 ** 32),
    native.setBuffersDataspace(0.5),
    native.setBuffersTimestamp(2n ** 63n),
    native.setBuffersTimestamp(-(2n ** 63n) - 1n),
    native.setSurfaceDamage([undefined as never]),
    // deno-lint-ignore no-sparse-arrays
    native.setSurfaceDamage([, { left: 0, top: 0, right: 1, bottom: 1 }] as never),
    native.setSurfaceDamage([{ left: 0, top: 0, right: NaN, bottom: 1 }]),
    native.setCrop({ left: 0, top: 0, right: 1 } as never),
    native.apiConnect(1),
    native.apiConnect(2),
    native.apiDisconnect(2),
  ];
  assertEquals(refused, refused.map(() => BAD_VALUE));
});

test("makes buffers as they are asked for, and forgets that on disconnect", withTaker, (native, { seen }) => {
  native.setBuffersDimensions(7, 5);
  native.setBuffersFormat(4);
  native.setBuffersTransform(7);
  native.setScalingMode(1);
  native.setBuffersDataspace(142671872);
  native.setBuffersTimestamp(5n);
  native.setCrop({ left: -1, top: 1, right: 99, bottom: 3 });
  native.setBuffersCta8613({ maxContentLightLevel: 1, maxFrameAverageLightLevel: 2 });
  native.setSurfaceDamage([{ left: 0, top: 0, right: 2, bottom: 2 }]);
  draw(native);
  draw(native);
  const [first, second] = seen, { buffer } = first;
  assertEquals([buffer.width, buffer.height, buffer.format], [7, 5, 4]);
  assertEquals([first.transform, first.scalingMode, first.dataspace, first.timestamp], [7, 1, 142671872, 5n]);
  assertEquals([first.crop, first.cta8613?.maxContentLightLevel], [{ left: 0, top: 1, right: 7, bottom: 3 }, 1]);
  assertEquals([first.damage.length, second.damage.length, second.timestamp], [1, 0, 5n]);
  assertEquals(native.apiDisconnect(1), OK);
  assert(buffer.isClosed);
  assertEquals([native.apiDisconnect(1), native.dequeueBuffer()], [NO_INIT, NO_INIT]);
  native.apiConnect(2);
  draw(native);
  const last = seen[2];
  assertEquals([last.buffer.width, last.buffer.format, last.transform, last.crop.right], [64, 1, 0, 0]);
});

test("goes back to its own size", withTaker, (native) => {
  native.setBuffersDimensions(7, 5);
  native.setBuffersDimensions(0, 0);
  native.resize(9, 9);
  const { buffer, fence } = dequeue(native);
  assertEquals(buffer.width, 9);
  native.resize(10, 9);
  assertEquals(native.queueBuffer(buffer, fence), OK);
  assertNotStrictEquals(dequeue(native).buffer, buffer);
  assert(buffer.isClosed);
});

test("turns OpenGL's damage over", withTaker, (native, { seen }) => {
  for (const transform of [0, 4, 3, 7]) {
    native.setBuffersTransform(transform);
    native.setSurfaceDamage([{ left: 1, top: 8, right: 4, bottom: 2 }, { left: 0, top: 0, right: 5, bottom: 6 }]);
    draw(native);
  }
  const [identity, quarter, half, three] = seen.map(({ damage }) => damage);
  assertEquals(identity[0], { left: 1, top: 24, right: 4, bottom: 30 });
  assertEquals(quarter[0], { left: 56, top: 28, right: 62, bottom: 31 });
  assertEquals(half[0], { left: 60, top: 2, right: 63, bottom: 8 });
  assertEquals(three[0], { left: 2, top: 1, right: 8, bottom: 4 });
  assertEquals(identity[1], { left: 0, top: 0, right: 5, bottom: 6 });
});

test("closes fences it is given for nothing", withTaker, (native) => {
  const { buffer, fence } = dequeue(native);
  native.cancelBuffer(buffer, fence);
  for (const give of [native.queueBuffer, native.cancelBuffer]) {
    const { fence, signal } = NativeFence.create();
    assertEquals(give.call(native, buffer, fence), BAD_VALUE);
    signal();
  }
  native.apiDisconnect(1);
  const { fence: late, signal } = NativeFence.create();
  assertEquals(native.queueBuffer(buffer, late), BAD_VALUE);
  signal();
  assertEquals(native.statistics.cancelled, 1);
});

test("keeps a frame's fence for the next producer when nobody waited for it", withTaker, (native) => {
  const { fence, signal } = NativeFence.create();
  draw(native, fence);
  const { fence: next, buffer } = dequeue(native);
  assertEquals(next.poll(), false);
  signal();
  assertEquals(next.poll(), true);
  native.cancelBuffer(buffer, next);
});

test("drops frames in mailbox mode", () => ({}), (native) => {
  assertEquals(native.setSwapInterval(0), OK);
  for (let frame = 0; frame < 4; frame++) draw(native);
  const frame = native.frames.acquire()!;
  assertEquals([frame.number, native.frames.pending, native.frames.acquire()], [4n, 0, undefined]);
  frame.release();
  frame.release();
  assertEquals(native.statistics, { queued: 4, acquired: 1, released: 1, dropped: 3, cancelled: 0, copies: 0 });
});

test("adds up the copies of its buffers, also of those that are gone", withTaker, (native) => {
  for (const width of [5, 6]) {
    native.resize(width, 5);
    const { buffer, fence } = dequeue(native);
    buffer.copies += 2;
    native.queueBuffer(buffer, fence);
  }
  native.apiDisconnect(1);
  assertEquals(native.statistics.copies, 4);
});

test("tells timestamps only when they are on, of frames it remembers", withTaker, (native) => {
  draw(native);
  assertEquals(native.frameTimestamps(1n), INVALID_OPERATION);
  assertEquals(native.enableFrameTimestamps(true), OK);
  native.setBuffersTimestamp(123n);
  draw(native);
  assertEquals([native.frameTimestamps(1n), native.frameTimestamps(3n)], [BAD_VALUE, BAD_VALUE]);
  native.frames.presented(2n, 456n);
  const times = got(native.frameTimestamps(2n));
  assertEquals([times.requestedPresent, times.displayPresent], [123n, 456n]);
});

Deno.test("NativeWindow returns TIMED_OUT when its consumer releases no buffer, and says why", () =>
  leavesNothing(() => {
    const log: string[] = [], consumer: FrameConsumer = { attach() {}, onFrame: (source) => void source.acquire() };
    using native = new NativeWindow({ width: 4, height: 4, consumer, log: (message) => log.push(message) });
    native.apiConnect(1);
    assertEquals(native.setDequeueTimeout(-1n), OK);
    draw(native);
    draw(native);
    assertEquals([native.dequeueBuffer(), native.dequeueBuffer()], [TIMED_OUT, TIMED_OUT]);
    assertEquals(log.length, 1);
    assert(log[0].includes("1 are queued and 1 held by the consumer"));
  }));

Deno.test("NativeWindow asks the consumer to release a buffer when the producer needs one", () =>
  leavesNothing(() => {
    const later = { attach() {}, onFrame() {}, pump: (source) => source.acquire()?.release() } satisfies FrameConsumer;
    const lazy: FrameConsumer = { attach() {}, onFrame: (source) => source.pending > 1 && source.acquire()?.release() };
    for (const consumer of [later, lazy]) {
      using native = new NativeWindow({ width: 4, height: 4, consumer });
      native.apiConnect(1);
      for (let frame = 0; frame < 10; frame++) draw(native);
      assertEquals(native.statistics.queued, 10);
    }
  }));

Deno.test("NativeWindow releases the frames of a consumer that throws, and throws the error on close", () =>
  leavesNothing(() => {
    const throwing = (take: boolean): FrameConsumer => ({
      attach() {},
      onFrame(source) {
        if (take) source.acquire();
        throw new Error("no screen");
      },
    });
    for (const take of [true, false]) {
      const native = new NativeWindow({ width: 4, height: 4, consumer: throwing(take) });
      native.apiConnect(1);
      for (let frame = 0; frame < 5; frame++) draw(native);
      assertEquals([native.statistics.released, native.frames.pending], [5, 0]);
      assertThrows(() => native.close(), Error, "no screen");
      native.close();
    }
    const errors: unknown[] = [];
    const pumping = { attach() {}, onFrame() {}, pump: throwing(false).onFrame } satisfies FrameConsumer;
    const onError = () => {
      throw new Error("nor a log");
    };
    const other = new NativeWindow({ width: 4, height: 4, consumer: pumping, onError });
    other.apiConnect(1);
    for (let frame = 0; frame < 5; frame++) draw(other);
    assertEquals(other.statistics.released, 3); // two buffers were there before anybody had to wait
    assertThrows(() => other.close(), Error, "nor a log");
    using native = new NativeWindow({ width: 4, height: 4, consumer: throwing(true), onError: (e) => errors.push(e) });
    native.apiConnect(1);
    draw(native);
    assertEquals(errors.length, 1);
  }));

Deno.test("NativeWindow closes while a producer draws and a consumer holds a frame", () =>
  leavesNothing(() => {
    const closed: string[] = [];
    const consumer: FrameConsumer = {
      maxAcquired: 2,
      size: { width: 4, height: 4 },
      attach() {},
      onFrame: (source) => void source.acquire(),
      close: () => {
        closed.push("consumer");
        native.frames.abandon(); // as a viewer does whose window is gone
      },
    };
    const native = new NativeWindow({ consumer });
    native.apiConnect(1);
    native.setBufferCount(5);
    draw(native);
    const { buffer } = dequeue(native), { fence, signal } = NativeFence.create();
    draw(native, fence);
    native.frames.abandon();
    assertEquals([closed, buffer.isClosed, native.query("IS_VALID")], [["consumer"], true, 0]);
    native.close();
    native.close();
    signal();
    assertEquals(closed.length, 1);
    const statuses = [
      native.apiConnect(1),
      native.dequeueBuffer(),
      native.query("DEFAULT_WIDTH"),
      native.consumerUsage(),
      native.setSwapInterval(0),
      native.setBufferCount(2),
      native.enableFrameTimestamps(true),
      native.queueBuffer(buffer, NativeFence.signaled()),
      native.cancelBuffer(buffer, NativeFence.signaled()),
      Number(native.refreshCycleDuration()),
    ];
    assertEquals(statuses, statuses.map(() => NO_INIT));
    assertEquals(native.apiDisconnect(1), OK);
  }));

Deno.test("NativeWindow refuses impossible sizes, counts and rates", () => {
  const good = { width: 4, height: 4 };
  const bad: [NativeWindowOptions, string][] = [
    [{ width: 0, height: 4 }, "0 by 4 pixels"],
    [{}, "undefined by undefined"],
    [{ ...good, refreshRate: 0 }, "0 times a second"],
    [{ ...good, maxBufferCount: 65 }, "at most 65 buffers"],
    [{ ...good, maxAcquired: 63 }, "holds 63 frames"],
  ];
  for (const [options, message] of bad) assertThrows(() => new NativeWindow(options), RangeError, message);
});

Deno.test("NativeWindow keeps one buffer in shared mode, and shows it at each refresh", async () => {
  const shown = Promise.withResolvers<void>(), consumer = taker();
  const onFrame: FrameConsumer["onFrame"] = (source) => {
    consumer.onFrame(source);
    if (consumer.seen.length >= 3) shown.resolve();
  };
  const native = new NativeWindow({ width: 4, height: 4, refreshRate: 200, consumer: { ...consumer, onFrame } });
  native.apiConnect(1);
  native.setSharedBufferMode(true);
  native.setAutoRefresh(true);
  const { buffer, fence } = dequeue(native);
  native.queueBuffer(buffer, fence);
  const again = dequeue(native);
  assertStrictEquals(again.buffer, buffer);
  assertEquals(native.queueBuffer(again.buffer, again.fence), OK); // the consumer has it already
  const alive = setTimeout(() => {}, 10_000); // refreshes alone keep no process alive
  await shown.promise;
  clearTimeout(alive);
  assertEquals([native.statistics.queued, new Set(consumer.seen.map((frame) => frame.buffer)).size], [1, 1]);
  assertEquals([native.setAutoRefresh(false), native.setSharedBufferMode(false)], [OK, OK]);
  native.close();
});
