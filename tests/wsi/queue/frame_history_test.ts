import { assert, assertEquals } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { FRAME_HISTORY, FrameHistory, TIMESTAMP_INVALID, TIMESTAMP_PENDING } from "../../../wsi/queue/frame_history.ts";
import { leavesNothing } from "../leaves_nothing.ts";

/** Defines a test with a history that is on. */
function test(name: string, run: (history: FrameHistory) => void): void {
  Deno.test(`FrameHistory ${name}`, () =>
    leavesNothing(() => {
      const history = new FrameHistory();
      history.enable(true);
      run(history);
      history.enable(false);
    }));
}

function since(start: bigint, ...times: bigint[]): void {
  for (const time of times) assert(time >= start && time <= monotonicNow(), `${time} lies after ${start}`);
}

test("follows a frame from the queue to its release", (history) => {
  const start = monotonicNow(), drawn = NativeFence.create(), free = NativeFence.create();
  history.queued(1n, 55n, drawn.fence);
  const { requestedPresent, ...others } = history.of(1n)!;
  assertEquals([requestedPresent, Object.keys(others).length], [55n, 8]);
  assertEquals(new Set(Object.values(others)), new Set([TIMESTAMP_PENDING]));
  drawn.signal();
  since(start, history.of(1n)!.acquire);
  history.latched(1n);
  history.presented(1n, 99n);
  history.released(1n, free.fence);
  const shown = history.of(1n)!;
  since(start, shown.latch, shown.firstRefreshStart, shown.lastRefreshStart, shown.dequeueReady);
  assertEquals([shown.displayPresent, shown.gpuCompositionDone], [99n, TIMESTAMP_INVALID]);
  assertEquals(shown.release, TIMESTAMP_PENDING);
  free.signal();
  since(shown.dequeueReady, history.of(1n)!.release);
  drawn.fence.close();
  free.fence.close();
});

test("says that a dropped frame never was on the display", (history) => {
  history.queued(1n, 0n, NativeFence.signaled());
  history.dropped(1n);
  const { latch, displayPresent, firstRefreshStart, dequeueReady, acquire } = history.of(1n)!;
  assertEquals([latch, displayPresent, firstRefreshStart], [-1n, -1n, -1n]);
  assert(dequeueReady > 0n && acquire > 0n);
});

test("waits for the display, if there is one, and not if there is none", (history) => {
  for (const frame of [1n, 2n, 3n]) {
    history.queued(frame, 0n, NativeFence.signaled());
    history.latched(frame);
  }
  history.released(1n, NativeFence.signaled());
  assertEquals(history.of(1n)!.displayPresent, TIMESTAMP_INVALID);
  history.presented(3n, 5n);
  assertEquals([history.of(2n)!.displayPresent, history.of(3n)!.displayPresent], [TIMESTAMP_INVALID, 5n]);
  history.queued(4n, 0n, NativeFence.signaled());
  history.latched(4n);
  history.released(4n, NativeFence.signaled());
  assertEquals(history.of(4n)!.displayPresent, TIMESTAMP_PENDING);
});

test("remembers the last eight frames, and closes the fences of others", (history) => {
  const signals = Array.from({ length: 10 }, (_, index) => {
    const { fence, signal } = NativeFence.create();
    history.queued(BigInt(index), 0n, fence);
    fence.close();
    return signal;
  });
  assertEquals(FRAME_HISTORY, 8);
  assertEquals([1n, 2n, 9n].map((frame) => history.of(frame) !== undefined), [false, true, true]);
  for (const signal of signals) signal();
});

Deno.test("FrameHistory records nothing while it is disabled", () => {
  const history = new FrameHistory();
  history.queued(1n, 0n, NativeFence.signaled());
  assertEquals([history.enabled, history.of(1n)], [false, undefined]);
});
