import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { NativeBlock } from "../../../ffi/block.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { type AndroidWindow, androidWindow } from "../../../wsi/window/android_window.ts";
import { type FixtureWindow, LIBRARIES, NEEDS_WINDOW, withWindow } from "./android_fixture.ts";
import { leavesNothing } from "../leaves_nothing.ts";
import { dequeue } from "./taker.ts";

/** Defines a test with a fresh window. */
function test(name: string, library: keyof typeof LIBRARIES, run: (fixture: FixtureWindow) => void): void {
  Deno.test(`androidWindow() ${name}`, NEEDS_WINDOW, () => leavesNothing(() => withWindow(library, run)));
}

const RED = { red: { x: 0.7, y: 0.2 }, green: { x: 0, y: 0 }, blue: { x: 0, y: 0 }, white: { x: 0, y: 0 } };
const SMPTE = { ...RED, maxLuminance: 1000, minLuminance: 0.5 };

/** A fence that is signalled when it was asked so often. */
function aFrame(times: number) {
  const source = {
    asked: 0,
    signalTime: undefined,
    poll: () => ++source.asked >= times,
    wait: () => {
      while (!source.poll());
      return true;
    },
    toDescriptor: (): never => assertEquals("a file descriptor", "waited for") as never,
    close() {},
  };
  return { source, fence: NativeFence.of(source) };
}

/** Each setter: what it is called with, and what arrives at the window. */
const SETTERS: readonly [(real: AndroidWindow) => number, ...(string | bigint)[]][] = [
  [(real) => real.apiConnect(1), "perform", 13n, 1n],
  [(real) => real.apiDisconnect(1), "perform", 14n, 1n],
  [(real) => real.setSwapInterval(-1), "setSwapInterval", -1n],
  [(real) => real.setDequeueTimeout(-1n), "perform", 37n, -1n],
  [(real) => real.setSharedBufferMode(true), "setSharedBufferMode", 1n],
  [(real) => real.setAutoRefresh(true), "setAutoRefresh", 1n],
  [(real) => real.setBuffersFormat(4), "setBuffersFormat", 4n],
  [(real) => real.setBuffersDataspace(142671872), "perform", 19n, 142671872n],
  [(real) => real.setBuffersDimensions(7, 9), "setBuffersDimensions", 7n, 9n],
  [(real) => real.setBuffersTransform(7), "setBuffersTransform", 7n],
  [(real) => real.setScalingMode(2), "perform", 10n, 2n],
  [(real) => real.setBufferCount(5), "setBufferCount", 5n],
  [(real) => real.setUsage(0x1_0000_0000_0300n), "setUsage", 0x1_0000_0000_0300n],
  [(real) => real.setUsage(USAGE.FRONT_BUFFER | USAGE.LAYOUT_RULE_MASK), "setUsage", USAGE.FRONT_BUFFER],
  [(real) => real.setBuffersTimestamp(-(2n ** 63n)), "setBuffersTimestamp", -(2n ** 63n)],
  [(real) => real.setBuffersSmpte2086(SMPTE), "perform", 32n, 700n, 500n],
  [(real) => real.setBuffersSmpte2086(undefined), "perform", 32n, 0n],
  [
    (real) => real.setBuffersCta8613({ maxContentLightLevel: 3, maxFrameAverageLightLevel: 2 }),
    "perform",
    33n,
    3000n,
    2000n,
  ],
  [(real) => real.enableFrameTimestamps(true), "perform", 25n, 1n],
];

test("passes each setter on, and its status back", "whole", ({ real, last, fail }) => {
  for (const [set, ...expected] of SETTERS) {
    assertEquals(set(real), 0);
    assertEquals(last(expected.length - 1), expected);
    fail(-22);
    assertEquals(set(real), -22, String(expected));
    fail(0);
  }
});

test("asks the library what it knows, and the window itself for the rest", "whole", ({ real, fail }) => {
  assertEquals([real.query("DEFAULT_WIDTH"), real.query("TRANSFORM_HINT"), real.query("BUFFER_AGE")], [6, 8, 13]);
  assertEquals([real.query("MAX_BUFFER_COUNT"), real.query("IS_VALID"), real.query("FORMAT")], [1021, 1017, 1002]);
  assertEquals([real.consumerUsage(), real.refreshCycleDuration(), real.nextFrameId()], [7031n, 7023n, 7024n]);
  fail(-19);
  assertEquals([real.query("DEFAULT_WIDTH"), real.query("IS_VALID")], [-19, -19]);
});

test("reads all timestamps of a frame", "whole", ({ real }) => {
  assertEquals(real.frameTimestamps(5n), {
    requestedPresent: 500n,
    acquire: 501n,
    latch: 502n,
    firstRefreshStart: 503n,
    lastRefreshStart: 504n,
    gpuCompositionDone: 505n,
    displayPresent: 506n,
    dequeueReady: 507n,
    release: 508n,
  });
});

test(
  "hands buffers out with what their structs say, and the same ones again",
  "whole",
  ({ real, last, references }) => {
    const first = dequeue(real), { buffer } = first;
    assertEquals([buffer.width, buffer.height, buffer.stride, buffer.format, buffer.usage], [64, 32, 80, 1, 0x233n]);
    assertEquals([buffer.memory.fd, references(0), references(-1)], [900, 1, 1]);
    assertEquals(real.queueBuffer(buffer, first.fence), 0);
    assertEquals(last(2), ["queueBuffer", 0n, 0n]);
    for (let index = 1; index < 4; index++) {
      const { buffer, fence } = dequeue(real);
      fence.close();
      assertEquals(real.cancelBuffer(buffer, NativeFence.signaled()), 0);
      assertEquals(last(2), ["cancelBuffer", BigInt(index), 0n]);
    }
    const again = dequeue(real);
    assertStrictEquals(again.buffer, buffer);
    assertEquals(real.cancelBuffer(buffer, again.fence), 0);
    assertEquals(real.apiDisconnect(1), 0);
    assertEquals([0, 1, 2, 3].map(references), [0, 0, 0, 0]);
  },
);

test("consumes fences also when something fails", "whole", ({ real, fail }) => {
  const { buffer, fence } = dequeue(real), strange = NativeFence.create();
  fail(-38);
  assertEquals(real.dequeueBuffer(), -38);
  assertEquals(real.queueBuffer(buffer, fence), -38);
  fail(0);
  assertEquals(real.cancelBuffer(buffer, NativeFence.signaled()), 0);
  assertEquals(real.queueBuffer(buffer, strange.fence), STATUS.BAD_VALUE); // it is not dequeued any more
  strange.signal();
});

test("gives back no fence that a kernel driver could not import", "whole", ({ real, last }) => {
  const { fence: late, source } = aFrame(3), stalled = NativeFence.create();
  for (const fence of [late, NativeFence.signaled()]) {
    const { buffer, fence: before } = dequeue(real);
    before.close();
    assertEquals([real.queueBuffer(buffer, fence), last(2)[2]], [0, 0n]);
  }
  assertEquals(source.asked, 3, "it was waited for");
  const { buffer, fence } = dequeue(real), before = last(2);
  assertEquals([real.cancelBuffer(buffer, stalled.fence), last(2)], [STATUS.TIMED_OUT, before]);
  stalled.signal();
  assertEquals(real.cancelBuffer(buffer, fence), 0, "it is still dequeued");
});

test("turns damage over that is measured from the top left corner", "whole", ({ real, damage }) => {
  for (const [top, bottom] of [[2, 12], [30, 20]]) {
    const { buffer, fence } = dequeue(real);
    assertEquals(real.setSurfaceDamage([{ left: 1, top, right: 11, bottom }]), 0);
    assertEquals(real.queueBuffer(buffer, fence), 0);
    assertEquals(damage(), [1n, 1n, 30n, 11n, 20n]);
  }
});

test("says INVALID_OPERATION where neither the library nor the window can do it", "bare", ({ real }) => {
  for (const [set, ...expected] of SETTERS) assertEquals(set(real), STATUS.INVALID_OPERATION, String(expected));
  assertEquals(real.query("DEFAULT_WIDTH"), STATUS.INVALID_OPERATION);
  assertEquals(real.consumerUsage(), STATUS.INVALID_OPERATION);
  assertEquals(real.frameTimestamps(1n), STATUS.INVALID_OPERATION);
  assertEquals(real.refreshCycleDuration(), BigInt(STATUS.INVALID_OPERATION));
  const { buffer, fence } = dequeue(real);
  assertEquals(real.queueBuffer(buffer, fence), 0);
});

Deno.test("androidWindow() refuses addresses that hold no window", NEEDS_WINDOW, () => {
  using block = new NativeBlock(192);
  assertThrows(() => androidWindow(block.address, { library: LIBRARIES.whole }), TypeError, "0x0 there");
  assertThrows(() => androidWindow(0n), TypeError, "found NULL");
});
