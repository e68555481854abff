import type { AndroidRelease } from "../../../loader/mod.ts";
import { assert, assertEquals } from "@std/assert";
import type { Frame, FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import { needs } from "../../support/require.ts";
import { resultOf } from "../../support/result_of.ts";
import { DRIVERS } from "../adaptor/drawing.ts";
import {
  FOREVER,
  MODES,
  Presenter,
  recordClear,
  Stage,
  type StageOptions,
  swapchainInfo,
  withShared,
} from "./presenter.ts";

const RED = [1, 0, 0, 1] as const, INITIALIZATION_FAILED = -3;
const REGIONS = 1000084000, FENCES = 1000275001, MODE_LIST = 1000275002, MODE_CHANGE = 1000275003;
const SCALING = 1000275004, HDR = 1000105000, FORMAT_LIST = 1000147000;
const CREATE = { MUTABLE_FORMAT: 4 };
const SIZE = { width: 32, height: 16 };

/** The facts that a test wants to know of frames, which are gone when it asks. */
type Seen = Omit<Frame, "release" | "buffer" | "fence"> & { readonly pixel: number[] };

/** A consumer that notes each frame and gives it back. */
function noting(): FrameConsumer & { readonly seen: Seen[] } {
  const seen: Seen[] = [];
  return {
    seen,
    attach() {},
    onFrame(source) {
      for (let frame: Frame | undefined; (frame = source.acquire());) {
        frame.fence.wait();
        const { number, timestamp, dataspace, transform, scalingMode, crop, damage, smpte2086, cta8613 } = frame;
        const pixel = [...frame.buffer.lock().slice(0, 4)];
        frame.buffer.unlock();
        seen.push({ number, timestamp, dataspace, transform, scalingMode, crop, damage, smpte2086, cta8613, pixel });
        frame.release();
      }
    },
  };
}

for (const [name, driver] of DRIVERS) {
  const test = (title: string, body: () => void) => Deno.test(`${title} (${name})`, needs(name, driver), body);
  const open = (consumer: FrameConsumer, extensions: readonly string[] = [], more: Partial<StageOptions> = {}) =>
    new Stage({ driver: driver!, deviceExtensions: extensions, ...more, window: { ...SIZE, consumer } });
  const testShared = (title: string, body: () => void) => test(title, () => withShared(driver!, body));

  for (const quirks of [undefined, "aosp"] as const) {
    const title = quirks ? "mirrored under AOSP's quirks" : "as the application gives it";
    test(`VK_KHR_incremental_present has the damage reach the frame, ${title}`, () => {
      const consumer = noting();
      using stage = open(consumer, ["VK_KHR_incremental_present"], { quirks });
      using presenter = new Presenter(stage);
      const rect = (x: number, y: number, width: number, height: number) => ({
        ...{ offset: { x, y }, extent: { width, height }, layer: 0 },
      });
      const regions = (...pRectangles: object[]) => [{ sType: REGIONS, pRegions: [{ pRectangles }] } as never];
      presenter.frame(RED, regions(rect(1, 2, 3, 4), rect(10, 0, 5, 6)));
      presenter.frame(RED, regions());
      presenter.frame(RED);
      const rows = (top: number, bottom: number) => quirks ? { top: 16 - bottom, bottom: 16 - top } : { top, bottom };
      assertEquals(consumer.seen.map(({ damage }) => damage), [
        [{ left: 1, right: 4, ...rows(2, 6) }, { left: 10, right: 15, ...rows(0, 6) }],
        [],
        [],
      ]);
    });
  }

  test("a mailbox is not told of damage, for frames may make way", () => {
    const consumer = noting();
    using stage = open(consumer, ["VK_KHR_incremental_present"]);
    using presenter = new Presenter(stage, { presentMode: MODES.MAILBOX as never });
    const pRectangles = [{ offset: { x: 1, y: 1 }, extent: { width: 2, height: 2 }, layer: 0 }];
    presenter.frame(RED, [{ sType: REGIONS, pRegions: [{ pRectangles }] } as never]);
    assertEquals(consumer.seen[0].damage, []);
  });

  test("vkSetHdrMetadataEXT has the metadata come with the frames after it", () => {
    const consumer = noting();
    using stage = open(consumer, ["VK_EXT_hdr_metadata"]);
    using presenter = new Presenter(stage);
    presenter.frame(RED);
    const xy = (x: number, y: number) => ({ x, y });
    stage.device.vkSetHdrMetadataEXT([presenter.swapchain], [{
      sType: HDR,
      displayPrimaryRed: xy(0.5, 0.25),
      displayPrimaryGreen: xy(0.25, 0.75),
      displayPrimaryBlue: xy(0.125, 0.0625),
      whitePoint: xy(0.3125, 0.375),
      maxLuminance: 1000,
      minLuminance: 0.5,
      maxContentLightLevel: 900,
      maxFrameAverageLightLevel: 400,
    }]);
    presenter.frame(RED);
    const [before, after] = consumer.seen;
    assertEquals([before.smpte2086, before.cta8613], [undefined, undefined]);
    assertEquals(after.smpte2086, {
      ...{ red: xy(0.5, 0.25), green: xy(0.25, 0.75), blue: xy(0.125, 0.0625), white: xy(0.3125, 0.375) },
      ...{ maxLuminance: 1000, minLuminance: 0.5 },
    });
    assertEquals(after.cta8613, { maxContentLightLevel: 900, maxFrameAverageLightLevel: 400 });
  });

  test("vkSetHdrMetadataEXT does nothing about a retired swapchain", () => {
    const consumer = noting();
    using stage = open(consumer, ["VK_EXT_hdr_metadata"]);
    using old = new Presenter(stage);
    using made = new Presenter(stage, { oldSwapchain: old.swapchain });
    stage.device.vkSetHdrMetadataEXT([old.swapchain], [{ sType: HDR, maxLuminance: 1000 } as never]);
    made.frame(RED);
    assertEquals(consumer.seen[0].smpte2086, undefined);
  });

  test("a frame has the dataspace of its swapchain's color space", () => {
    const consumer = noting();
    using stage = open(consumer, [], { instanceExtensions: ["VK_EXT_swapchain_colorspace"] });
    const FP16 = 97, HDR10 = 1000104008, BT2020_LINEAR = 1000104007, P3 = 1000104001, EXTENDED = 1000104002;
    const spaces = [[37, 0], [37, P3], [64, HDR10], [37, BT2020_LINEAR], [FP16, BT2020_LINEAR], [FP16, EXTENDED]];
    for (const [imageFormat, imageColorSpace] of spaces) {
      using presenter = new Presenter(stage, { imageFormat, imageColorSpace } as never);
      assertEquals(presenter.frame(RED).presented, 0);
    }
    assertEquals(consumer.seen.map(({ dataspace }) => dataspace), [
      ...[142671872, 143261696, 163971072, 0x08460000, 0x18460000, 406913024],
    ]);
    const unknown = { imageColorSpace: 1000104099 as never };
    const create = () => stage.device.vkCreateSwapchainKHR(swapchainInfo(stage.surface, stage.window, unknown));
    assertEquals(resultOf(create), INITIALIZATION_FAILED);
  });

  test("a buffer whose values mean nothing in particular keeps the window's dataspace", () => {
    const consumer = noting();
    using stage = open(consumer, [], { instanceExtensions: ["VK_EXT_swapchain_colorspace"] });
    using presenter = new Presenter(stage, { imageColorSpace: 1000104013 as never });
    presenter.frame(RED);
    assertEquals(consumer.seen[0].dataspace, 0);
  });

  for (const extension of ["VK_EXT_swapchain_maintenance1", "VK_KHR_swapchain_maintenance1"]) {
    test(`${extension} signals a fence when a present has waited for its semaphores`, () => {
      using stage = open(droppingConsumer(), [extension]);
      using presenter = new Presenter(stage);
      const fence = stage.device.vkCreateFence({});
      for (let frame = 0; frame < 3; frame++) {
        presenter.frame(RED, [{ sType: FENCES, pFences: [fence] } as never]);
        assertEquals(stage.device.vkWaitForFences([fence], true, 1_000_000_000n), 0);
        stage.device.vkResetFences([fence]);
      }
      stage.device.vkDestroyFence(fence);
    });

    test(`${extension} gives acquired images back unshown`, () => {
      using stage = open(droppingConsumer(), [extension]);
      const { device, window } = stage, suffix = extension.slice(3, 6);
      using presenter = new Presenter(stage);
      const fence = device.vkCreateFence({}), before = window.statistics.cancelled;
      const acquire = () => {
        const { result, imageIndex } = device.vkAcquireNextImageKHR(presenter.swapchain, 0n, null, fence);
        if (result !== 0) return result as number;
        device.vkWaitForFences([fence], true, FOREVER);
        device.vkResetFences([fence]);
        taken.push(imageIndex);
        return 0;
      };
      const taken: number[] = [];
      while (acquire() === 0);
      assert(taken.length >= 2);
      const info = { swapchain: presenter.swapchain, pImageIndices: taken };
      if (suffix === "EXT") device.vkReleaseSwapchainImagesEXT(info);
      else device.vkReleaseSwapchainImagesKHR(info);
      assertEquals([window.statistics.cancelled - before, window.statistics.queued], [taken.length, 0]);
      assertEquals(new Set(taken).size, taken.length);
      assertEquals(acquire(), 0);
      device.vkDestroyFence(fence);
    });
  }

  testShared("a swapchain of one shared image goes on in the other shared mode, and others keep theirs", () => {
    const extensions = ["VK_EXT_swapchain_maintenance1", "VK_KHR_shared_presentable_image"];
    const change = (mode: number) => [{ sType: MODE_CHANGE, pPresentModes: [mode] } as never];
    {
      using stage = open(droppingConsumer(), extensions);
      const list = { sType: MODE_LIST, pPresentModes: [MODES.SHARED_DEMAND, MODES.SHARED_CONTINUOUS] } as never;
      using presenter = new Presenter(stage, { presentMode: MODES.SHARED_DEMAND as never, pNext: [list] });
      const { imageIndex } = presenter.frame(RED);
      const again = (mode: number) =>
        stage.queue.vkQueuePresentKHR({
          pNext: change(mode),
          pSwapchains: [presenter.swapchain],
          pImageIndices: [imageIndex],
        }) as number;
      for (const mode of [MODES.SHARED_CONTINUOUS, MODES.SHARED_CONTINUOUS, MODES.SHARED_DEMAND, MODES.FIFO]) {
        assertEquals(again(mode), 0);
      }
      assertEquals(stage.device.vkGetSwapchainStatusKHR(presenter.swapchain) as number, 0);
    }
    using stage = open(droppingConsumer(), extensions);
    using presenter = new Presenter(stage);
    for (let frame = 0; frame < 4; frame++) assertEquals(presenter.frame(RED, change(MODES.MAILBOX)).presented, 0);
  });

  testShared("a shared image is seen as it is drawn, each time it is presented", () => {
    const consumer = noting();
    using stage = open(consumer, ["VK_KHR_shared_presentable_image"]);
    using presenter = new Presenter(stage, { presentMode: MODES.SHARED_DEMAND as never });
    const { device, queue } = stage, { imageIndex } = presenter.frame(RED);
    const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0, flags: 2 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
    for (const color of [[0, 1, 0, 1], [0, 0, 1, 1]] as const) {
      recordClear(commands, presenter.images[0], color, MODES.SHARED_DEMAND); // the layout has the same number
      queue.vkQueueSubmit([{ pCommandBuffers: [commands], pSignalSemaphores: [presenter.drawn] }]);
      assertEquals(presenter.present(imageIndex), 0);
      device.vkDeviceWaitIdle();
    }
    device.vkDestroyCommandPool(pool);
    assertEquals(consumer.seen.map(({ pixel }) => pixel), [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]);
  });

  test("a swapchain is made although it asks for another scaling", () => {
    using stage = open(droppingConsumer(), ["VK_EXT_swapchain_maintenance1"]);
    using presenter = new Presenter(stage, {
      pNext: [{ sType: SCALING, scalingBehavior: 1, presentGravityX: 1, presentGravityY: 1 } as never],
    });
    assertEquals(presenter.frame(RED).presented, 0);
  });

  test("VK_KHR_swapchain_mutable_format wants to know the formats, and has images viewed in them", () => {
    const consumer = noting();
    using stage = open(consumer, ["VK_KHR_swapchain_mutable_format"]);
    const { device, surface, window } = stage, flags = CREATE.MUTABLE_FORMAT as never;
    const create = (pNext: readonly object[]) =>
      resultOf(() => device.vkCreateSwapchainKHR(swapchainInfo(surface, window, { flags, pNext: pNext as never })));
    assertEquals(create([]), INITIALIZATION_FAILED);
    assertEquals(create([{ sType: FORMAT_LIST, pViewFormats: [] }]), INITIALIZATION_FAILED);
    using presenter = new Presenter(stage, {
      flags,
      imageUsage: 0x16 as never,
      pNext: [{ sType: FORMAT_LIST, pViewFormats: [37, 43] } as never],
    });
    const range = { aspectMask: 1, levelCount: 1, layerCount: 1 };
    for (const format of [37, 43]) {
      const view = device.vkCreateImageView({
        ...{ image: presenter.images[0], viewType: 1, format, components: {}, subresourceRange: range },
      });
      device.vkDestroyImageView(view);
    }
    assertEquals(presenter.frame(RED).presented, 0);
    assertEquals(consumer.seen[0].pixel, [255, 0, 0, 255]);
  });

  test("a frame in the middle of a queue of acquired images can be presented first", () => {
    using stage = open(droppingConsumer());
    const { device } = stage;
    using presenter = new Presenter(stage, { minImageCount: 4 });
    const fence = device.vkCreateFence({});
    const taken = [0, 1].map(() => {
      const { imageIndex } = device.vkAcquireNextImageKHR(presenter.swapchain, FOREVER, null, fence);
      device.vkWaitForFences([fence], true, FOREVER);
      device.vkResetFences([fence]);
      return imageIndex;
    });
    const show = (index: number) =>
      stage.queue.vkQueuePresentKHR({ pSwapchains: [presenter.swapchain], pImageIndices: [index] }) as number;
    assertEquals([show(taken[1]), show(taken[0])], [0, 0]);
    device.vkDestroyFence(fence);
  });

  test("vkAcquireNextImage2KHR acquires as vkAcquireNextImageKHR does", () => {
    using stage = open(droppingConsumer());
    const { device } = stage, fence = device.vkCreateFence({});
    using presenter = new Presenter(stage);
    const { result, imageIndex } = device.vkAcquireNextImage2KHR({
      ...{ swapchain: presenter.swapchain, timeout: FOREVER, fence, deviceMask: 1 },
    });
    assertEquals(result, 0);
    assert(imageIndex < presenter.images.length);
    assertEquals(device.vkWaitForFences([fence], true, FOREVER), 0);
    device.vkDestroyFence(fence);
  });

  test("the device's own extensions stay beside the window system's", () => {
    using stage = open(droppingConsumer());
    const listed = stage.gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
    assert(listed.includes("VK_KHR_driver_properties"));
    assertEquals(new Set(listed).size, listed.length);
    assert(!listed.includes("VK_ANDROID_native_buffer"));
  });

  test("vkGetPhysicalDeviceFeatures2 says what the window system can do, by what it offers", () => {
    const features = (release: AndroidRelease) => {
      using stage = open(droppingConsumer(), [], { release });
      const { pNext } = stage.gpu.vkGetPhysicalDeviceFeatures2([
        { sType: 1000275000 },
        { sType: 1000294001 },
        { sType: 1000479002 },
        { sType: 1000480001 },
        { sType: 1000208000 },
      ]);
      return pNext.map((each) => Object.values(each)).map((values) => values.includes(true));
    };
    assertEquals(features(14), [true, false, false, false, false]);
    assertEquals(features(17), [true, true, true, true, false]);
  });
}
