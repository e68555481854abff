import { assert, assertEquals } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import type { VkSwapchainKHR } from "../../../loader/types.ts";
import { resultOf } from "../../support/result_of.ts";
import { NativeBufferDriver, Phone } from "../native_buffer_driver.ts";
import { FOREVER, swapchainInfo } from "./presenter.ts";

const SUCCESS = 0, NOT_READY = 1, INCOMPLETE = 5, QUEUE_FULL = -1000208000, FEATURE_NOT_PRESENT = -8;
const TIMINGS = 1000208003, FEATURES = 1000208000, PRESENT_ID_2 = 1000479001, PRESENT_TIMING_FLAG = 0x200;
const ALL_STAGES = 15, STAGE_LOCAL = 1000208000, RELATIVE = 1, OUT_OF_ORDER = 2;

/** A device that has VK_EXT_present_timing, and a swapchain on it. */
class Timed implements Disposable {
  readonly driver = new NativeBufferDriver({ deviceExtensions: ["VK_KHR_calibrated_timestamps"] });
  readonly phone: Phone;
  readonly swapchain: VkSwapchainKHR;

  constructor(maxAcquired = 1) {
    this.phone = new Phone(this.driver, {
      vulkan: { systemProperties: { "service.sf.present_timestamp": "1" } },
      deviceExtensions: ["VK_KHR_present_id2", "VK_EXT_present_timing", "VK_KHR_calibrated_timestamps"],
      window: { consumer: { maxAcquired, attach() {}, onFrame() {} } },
    });
    this.swapchain = this.make();
  }

  make(oldSwapchain?: VkSwapchainKHR): VkSwapchainKHR {
    const { device, surface, window } = this.phone;
    const info = { flags: PRESENT_TIMING_FLAG as never, minImageCount: 8, oldSwapchain };
    return device.vkCreateSwapchainKHR(swapchainInfo(surface, window, info));
  }

  acquire(): number {
    const { device } = this.phone, fence = device.vkCreateFence({});
    const { imageIndex } = device.vkAcquireNextImageKHR(this.swapchain, FOREVER, null, fence);
    device.vkDestroyFence(fence);
    return imageIndex;
  }

  present(imageIndex: number, id: bigint, timing: object = {}): number {
    return resultOf(() =>
      this.phone.queue.vkQueuePresentKHR({
        pSwapchains: [this.swapchain],
        pImageIndices: [imageIndex],
        pNext: [
          { sType: PRESENT_ID_2, pPresentIds: [id] },
          { sType: TIMINGS, pTimingInfos: [{ presentStageQueries: ALL_STAGES, ...timing }] } as never,
        ],
      })
    ) as number;
  }

  frame(id: bigint, timing: object = {}): number {
    return this.present(this.acquire(), id, timing);
  }

  show(when = monotonicNow()): void {
    const frame = this.phone.window.frames.acquire()!;
    frame.release();
    this.phone.window.frames.presented(frame.number, when);
  }

  setSize(size: number): number {
    return resultOf(() => this.phone.device.vkSetSwapchainPresentTimingQueueSizeEXT(this.swapchain, size)) as number;
  }

  /** The answer of vkGetPastPresentationTimingEXT, with room for so many. */
  past(room: number, flags = 0) {
    const pPresentStages = Array.from({ length: 4 }, () => ({ stage: 0 as never, time: 0n }));
    const record = { presentStageCount: 4, pPresentStages };
    const { result, pastPresentationTimingProperties } = this.phone.device.vkGetPastPresentationTimingEXT(
      { swapchain: this.swapchain, flags: flags as never },
      { presentationTimingCount: room, pPresentationTimings: Array.from({ length: room }, () => record) as never },
    );
    const { presentationTimingCount, pPresentationTimings } = pastPresentationTimingProperties;
    return { result: result as number, timings: (pPresentationTimings ?? []).slice(0, presentationTimingCount) };
  }

  ids(room: number, flags = 0): [number, bigint[]] {
    const { result, timings } = this.past(room, flags);
    return [result, timings.map(({ presentId }) => presentId)];
  }

  [Symbol.dispose](): void {
    this.phone.device.vkDestroySwapchainKHR(this.swapchain);
    this.phone[Symbol.dispose]();
    this.driver[Symbol.dispose]();
  }
}

Deno.test("vkGetPastPresentationTimingEXT reports the time of each stage of a frame", () => {
  using timed = new Timed();
  assertEquals(timed.setSize(4), SUCCESS);
  const before = monotonicNow();
  assertEquals(timed.frame(9n, { targetTime: 77n }), SUCCESS);
  assertEquals(timed.ids(4), [SUCCESS, []]);
  timed.show();
  const { result, timings: [timing] } = timed.past(4);
  assertEquals([result, timing.presentId, timing.targetTime], [SUCCESS, 9n, 77n]);
  assertEquals([timing.timeDomain as number, timing.timeDomainId, timing.reportComplete], [STAGE_LOCAL, 1n, true]);
  assertEquals(timing.pPresentStages!.map(({ stage }) => stage as number), [1, 2, 4, 8]);
  const times = timing.pPresentStages!.map(({ time }) => time);
  assert(times.every((time) => time >= before && time <= monotonicNow()), `${times}`);
  assertEquals(timed.ids(4), [SUCCESS, []], "what was told is forgotten");
});

Deno.test("vkGetPastPresentationTimingEXT reports only the requested stages", () => {
  using timed = new Timed();
  timed.setSize(4);
  timed.frame(1n, { presentStageQueries: 1 | 8 });
  timed.show();
  const { timings: [{ presentStageCount, pPresentStages }] } = timed.past(1);
  assertEquals([presentStageCount, pPresentStages!.slice(0, presentStageCount).map(({ stage }) => stage as number)], [
    2,
    [1, 8],
  ]);
});

Deno.test("vkGetPastPresentationTimingEXT keeps reports without room in the output", () => {
  using timed = new Timed();
  timed.setSize(8);
  for (const id of [1n, 2n, 3n, 4n]) {
    timed.frame(id);
    timed.show();
  }
  assertEquals(timed.ids(3), [INCOMPLETE, [1n, 2n, 3n]]);
  assertEquals(timed.ids(3), [SUCCESS, [4n]]);
});

Deno.test("vkGetPastPresentationTimingEXT keeps the order of frames unless it may change it", () => {
  using timed = new Timed(3);
  timed.setSize(8);
  timed.frame(1n);
  timed.frame(2n, { presentStageQueries: 1 | 2 });
  const { frames } = timed.phone.window, held = [frames.acquire()!, frames.acquire()!];
  assertEquals(timed.ids(4), [SUCCESS, []]); // the first is not on the display yet
  assertEquals(timed.ids(4, OUT_OF_ORDER), [SUCCESS, [2n]]);
  for (const frame of held) frame.release();
  for (const { number } of held) frames.presented(number, monotonicNow());
  assertEquals(timed.ids(4), [SUCCESS, [1n]]);
});

Deno.test("vkQueuePresentKHR says when the queue of timings is full, and the image can be presented without", () => {
  using timed = new Timed();
  assertEquals(timed.setSize(2), SUCCESS);
  assertEquals([timed.frame(1n), timed.frame(2n)], [SUCCESS, SUCCESS]);
  const index = timed.acquire();
  assertEquals(timed.present(index, 3n), QUEUE_FULL);
  assertEquals(timed.phone.window.statistics.queued, 2);
  assertEquals(timed.present(index, 3n, { presentStageQueries: 0 }), SUCCESS);
  assertEquals(timed.setSize(3), SUCCESS);
  assertEquals(timed.frame(4n), SUCCESS);
});

Deno.test("a swapchain without room for timings has none to spare", () => {
  using timed = new Timed();
  assertEquals(timed.frame(1n), QUEUE_FULL);
});

Deno.test("vkSetSwapchainPresentTimingQueueSizeEXT keeps reports that were not read yet", () => {
  using timed = new Timed();
  timed.setSize(4);
  timed.frame(1n);
  timed.frame(2n);
  assertEquals([timed.setSize(1), timed.setSize(2), timed.setSize(1)], [NOT_READY, SUCCESS, NOT_READY]);
  assertEquals(timed.frame(3n), QUEUE_FULL);
});

Deno.test("the times of a retired swapchain's frames are zeros", () => {
  using timed = new Timed();
  timed.setSize(4);
  timed.frame(1n);
  const made = timed.make(timed.swapchain);
  const { timings: [timing] } = timed.past(4);
  assertEquals([timing.presentId, timing.pPresentStages!.map(({ time }) => time)], [1n, [0n, 0n, 0n, 0n]]);
  timed.phone.device.vkDestroySwapchainKHR(made);
});

Deno.test("a frame's target time reaches the consumer if it is no duration", () => {
  using timed = new Timed();
  timed.setSize(4);
  timed.frame(1n, { targetTime: 5n, flags: RELATIVE });
  timed.frame(2n, { targetTime: 6n });
  const stamps = [1, 2].map(() => {
    const frame = timed.phone.window.frames.acquire()!;
    frame.release();
    return frame.timestamp;
  });
  assertEquals([stamps[0] > 1_000_000n, stamps[1]], [true, 6n]);
});

Deno.test("the timing properties and time domains of a swapchain are those of its window", () => {
  using timed = new Timed();
  const { device } = timed.phone;
  const timing = device.vkGetSwapchainTimingPropertiesEXT(timed.swapchain);
  const { refreshDuration, refreshInterval } = timing.swapchainTimingProperties;
  assertEquals([refreshDuration, refreshInterval, timing.swapchainTimingPropertiesCounter], [16666667n, 16666667n, 1n]);
  const domains = device.vkGetSwapchainTimeDomainPropertiesEXT(timed.swapchain, {
    timeDomainCount: 3,
    pTimeDomains: [0, 0, 0] as never,
    pTimeDomainIds: [0n, 0n, 0n],
  });
  const { timeDomainCount, pTimeDomains, pTimeDomainIds } = domains.swapchainTimeDomainProperties;
  assertEquals([timeDomainCount, pTimeDomains![0] as number, pTimeDomainIds![0]], [1, STAGE_LOCAL, 1n]);
  assertEquals(domains.timeDomainsCounter, 1n);
});

Deno.test("vkCreateDevice refuses frames that are shown after a duration", () => {
  using driver = new NativeBufferDriver({ deviceExtensions: ["VK_KHR_calibrated_timestamps"] });
  using phone = new Phone(driver, { vulkan: { systemProperties: { "service.sf.present_timestamp": "1" } } });
  const create = (features: object) =>
    resultOf(() =>
      phone.gpu.vkCreateDevice({
        pNext: [{ sType: FEATURES, presentTiming: true, ...features }],
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        ppEnabledExtensionNames: ["VK_KHR_swapchain", "VK_EXT_present_timing"],
      })[Symbol.dispose]()
    );
  const { pNext: [found] } = phone.gpu.vkGetPhysicalDeviceFeatures2([{ sType: FEATURES }]);
  const { presentTiming, presentAtAbsoluteTime, presentAtRelativeTime } = found;
  assertEquals([presentTiming, presentAtAbsoluteTime, presentAtRelativeTime], [true, true, false]);
  assertEquals([create({ presentAtRelativeTime: true }), create({ presentAtAbsoluteTime: true })], [
    FEATURE_NOT_PRESENT,
    undefined,
  ]);
});
