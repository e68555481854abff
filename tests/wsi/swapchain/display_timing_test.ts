import { assert, assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import type { FrameTimestamps } from "../../../wsi/contract/window.ts";
import { needs } from "../../support/require.ts";
import { resultOf } from "../../support/result_of.ts";
import { DRIVERS } from "../adaptor/drawing.ts";
import { MODES, Presenter, Stage, type StageOptions, withShared } from "./presenter.ts";

const RED = [1, 0, 0, 1] as const, OUT_OF_DATE = -1000001004, INCOMPLETE = 5;
const TIMES = 1000092000;

/** The struct that asks for the timing of a frame. */
const wanted = (presentID: number, desiredPresentTime = 0n) => [
  {
    sType: TIMES,
    pTimes: [{ presentID, desiredPresentTime }],
  } as const,
];

/** Takes the oldest frame and says that it was on the display. */
function show({ window }: Stage, when = monotonicNow()): void {
  const frame = window.frames.acquire()!;
  frame.fence.wait(); // until then nobody knows when it was drawn
  frame.release();
  window.frames.presented(frame.number, when);
}

for (const [name, driver] of DRIVERS) {
  const test = (title: string, body: () => void) => Deno.test(`${title} (${name})`, needs(name, driver), body);
  const open = (more: Partial<StageOptions> = {}) =>
    new Stage({
      driver: driver!,
      deviceExtensions: ["VK_GOOGLE_display_timing"],
      ...more,
      window: { width: 32, height: 16, ...more.window },
    });
  const testShared = (title: string, body: () => void) => test(title, () => withShared(driver!, body));
  const past = ({ swapchain, stage }: Presenter) => stage.device.vkGetPastPresentationTimingGOOGLE(swapchain);
  const ids = (presenter: Presenter) => past(presenter).map(({ presentID }) => presentID);

  test("vkGetRefreshCycleDurationGOOGLE says how often the window's display is refreshed", () => {
    for (const refreshRate of [60, 120]) {
      using stage = open({ window: { refreshRate } });
      using presenter = new Presenter(stage);
      const { refreshDuration } = stage.device.vkGetRefreshCycleDurationGOOGLE(presenter.swapchain);
      assertEquals(refreshDuration, BigInt(Math.round(1e9 / refreshRate)));
    }
  });

  test("vkGetPastPresentationTimingGOOGLE tells of a frame once it was shown", () => {
    using stage = open();
    using presenter = new Presenter(stage);
    const before = monotonicNow();
    assertEquals(presenter.frame(RED, wanted(7, 1234n)).presented, 0);
    assertEquals(ids(presenter), []);
    show(stage);
    const [{ presentID, desiredPresentTime, actualPresentTime, earliestPresentTime, presentMargin }] = past(presenter);
    assertEquals([presentID, desiredPresentTime], [7, 1234n]);
    assert(actualPresentTime >= before && actualPresentTime <= monotonicNow());
    assert(earliestPresentTime > 0n && earliestPresentTime <= actualPresentTime);
    assert(presentMargin >= 0n);
    assertEquals(ids(presenter), [], "what was told is forgotten");
  });

  test("a frame could have been shown whole refreshes earlier, as far as it was taken late", () => {
    using stage = open({ window: { refreshRate: 10000 } }); // 100 µs
    using presenter = new Presenter(stage);
    presenter.frame(RED, wanted(1));
    const drawn = () => (stage.window.frameTimestamps(1n) as FrameTimestamps).acquire;
    while (drawn() < 0n);
    while (monotonicNow() < drawn() + 1_000_000n);
    const when = monotonicNow() + 50_000_000n;
    show(stage, when);
    const [{ actualPresentTime, earliestPresentTime, presentMargin }] = past(presenter);
    assertEquals(actualPresentTime, when);
    const early = when - earliestPresentTime;
    assert(early > 0n && early % 100_000n === 0n, `${early}`);
    const { latch } = stage.window.frameTimestamps(1n) as FrameTimestamps; // on a busy machine more than 50 ms later
    const isUsedUp = presentMargin <= 100_000n || earliestPresentTime - 100_000n <= latch;
    assert(presentMargin > 0n && isUsedUp, `${presentMargin}`);
  });

  test("vkGetPastPresentationTimingGOOGLE of release 14 waits for five frames and never tells of the newest four", () => {
    using stage = open({ release: 14 });
    using presenter = new Presenter(stage);
    const told = [1, 2, 3, 4, 5, 6, 7].map((id) => {
      presenter.frame(RED, wanted(id));
      show(stage);
      return ids(presenter);
    });
    assertEquals(told, [[], [], [], [], [1], [2], [3]]);
  });

  test("vkGetPastPresentationTimingGOOGLE keeps ten frames and what there was no room for", () => {
    using stage = open();
    using presenter = new Presenter(stage);
    past(presenter); // the first question turns timestamps on
    for (let id = 1; id <= 12; id++) {
      presenter.frame(RED, wanted(id));
      show(stage);
    }
    const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(40 * 16);
    const ask = (room: number, isCounting = false) => {
      memory.view.setUint32(count, room, true);
      const result = stage.device.raw.vkGetPastPresentationTimingGOOGLE(
        stage.device.handle,
        presenter.swapchain as unknown as bigint,
        memory.address(count),
        isCounting ? 0n : memory.address(out),
      );
      const got = memory.view.getUint32(count, true);
      const read = isCounting ? [] : Array.from({ length: got }, (_, at) => memory.view.getUint32(out + 40 * at, true));
      return [result, got, read];
    };
    assertEquals(ask(0, true), [0, 10, []]);
    assertEquals(ask(4), [INCOMPLETE, 4, [3, 4, 5, 6]]);
    assertEquals(ask(9), [0, 6, [7, 8, 9, 10, 11, 12]]);
    assertEquals(ask(9), [0, 0, []]);
    memory.release(mark);
  });

  test("a frame that is wanted at a time carries it to the consumer", () => {
    using stage = open();
    using presenter = new Presenter(stage);
    presenter.frame(RED, wanted(1, 55n));
    const frame = stage.window.frames.acquire()!;
    assertEquals(frame.timestamp, 55n);
    frame.release();
  });

  testShared("the timing of a shared image's frames is zeros", () => {
    using stage = open({ deviceExtensions: ["VK_GOOGLE_display_timing", "VK_KHR_shared_presentable_image"] });
    using presenter = new Presenter(stage, { presentMode: MODES.SHARED_DEMAND as never });
    presenter.frame(RED, wanted(3));
    const [timing] = past(presenter);
    assertEquals([timing.presentID, timing.actualPresentTime, timing.earliestPresentTime], [3, 0n, 0n]);
  });

  test("vkGetPastPresentationTimingGOOGLE says that a retired swapchain is out of date", () => {
    using stage = open();
    using old = new Presenter(stage);
    using made = new Presenter(stage, { oldSwapchain: old.swapchain });
    assertEquals(resultOf(() => past(old)), OUT_OF_DATE);
    assertEquals(past(made), []);
  });
}
