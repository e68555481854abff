import { assert, assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import type { FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { closeFenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { resultOf } from "../../support/result_of.ts";
import { FOREVER, MODES, Presenter, Stage, swapchainInfo } from "./presenter.ts";

const OUT_OF_DATE = -1000001004, SURFACE_LOST = -1000000000, IN_USE = -1000000001, SUBOPTIMAL = 1000001003;
const TIMEOUT = 2, NOT_READY = 1, RED = [1, 0, 0, 1] as const, ROT_90 = 4;
const SIZE = { width: 64, height: 32 };

for (const [name, driver] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  const part = needs(name, driver);
  /** A test that must leave no file, no native memory and no worker behind. */
  const test = (title: string, body: () => void) =>
    Deno.test(`${title} (${name})`, part, () => {
      body();
      closeFenceWorker();
      const files = openFiles(), blocks = openBlocks();
      body();
      closeFenceWorker();
      assertEquals([openFiles(), openBlocks()], [files, blocks]);
    });
  const stageWith = (consumer?: FrameConsumer) => new Stage({ driver: driver!, window: { ...SIZE, consumer } });

  test("vkAcquireNextImageKHR and vkQueuePresentKHR say that a retired swapchain is out of date", () => {
    using stage = stageWith(droppingConsumer());
    using old = new Presenter(stage);
    const { imageIndex } = stage.device.vkAcquireNextImageKHR(old.swapchain, FOREVER, old.acquired);
    using made = new Presenter(stage, { oldSwapchain: old.swapchain });
    stage.queue.vkQueueSubmit([{
      pWaitSemaphores: [old.acquired],
      pWaitDstStageMask: [0x1000],
      pSignalSemaphores: [old.drawn],
    }]);
    assertEquals(resultOf(() => old.present(imageIndex)), OUT_OF_DATE);
    assertEquals(resultOf(() => stage.device.vkAcquireNextImageKHR(old.swapchain, FOREVER, old.acquired)), OUT_OF_DATE);
    assertEquals(made.frame(RED).presented, 0);
  });

  test("vkQueuePresentKHR says suboptimal when the window is turned otherwise, and the swapchain goes on", () => {
    using stage = stageWith(droppingConsumer());
    using presenter = new Presenter(stage);
    assertEquals(presenter.frame(RED).presented, 0);
    stage.window.setTransformHint(ROT_90);
    assertEquals(presenter.frame(RED).presented, SUBOPTIMAL);
  });

  test("a swapchain whose present was suboptimal is replaced without naming it", () => {
    using stage = stageWith(droppingConsumer());
    stage.window.setTransformHint(ROT_90);
    using presenter = new Presenter(stage, { preTransform: 2 as never });
    assertEquals([presenter.frame(RED).presented, presenter.frame(RED).presented], [0, 0]);
  });

  test("vkAcquireNextImageKHR times out when all images are acquired, and when the consumer never releases", () => {
    using stage = stageWith();
    using presenter = new Presenter(stage);
    const { device } = stage, held = [];
    for (let count = 0; count < 2; count++) {
      presenter.frame(RED);
      const frame = stage.window.frames.acquire();
      if (frame) held.push(frame);
    }
    const semaphore = device.vkCreateSemaphore({}), taken: number[] = [];
    for (;;) {
      const { result, imageIndex } = device.vkAcquireNextImageKHR(presenter.swapchain, 0n, semaphore);
      if (result === NOT_READY) break;
      assertEquals(result, 0);
      taken.push(imageIndex);
      waitOn(stage, semaphore);
    }
    assertEquals(device.vkAcquireNextImageKHR(presenter.swapchain, FOREVER, semaphore).result, TIMEOUT);
    assertEquals(device.vkAcquireNextImageKHR(presenter.swapchain, 1000n, semaphore).result, TIMEOUT);
    assert(taken.length < presenter.images.length);
    held.forEach((frame) => frame.release());
    device.vkDeviceWaitIdle();
    device.vkDestroySemaphore(semaphore);
  });

  test("a consumer that throws gets its error told once, and frames go on", () => {
    const errors: unknown[] = [];
    const consumer = callbackConsumer(() => {
      throw new Error("cannot show this");
    }, { onError: (error) => void errors.push(error) });
    using stage = stageWith(consumer);
    using presenter = new Presenter(stage);
    for (let count = 0; count < 5; count++) assertEquals(presenter.frame(RED).presented, 0);
    assertEquals(errors.length, 5);
  });

  test("a window that is closed under a swapchain loses the surface", () => {
    using stage = stageWith(droppingConsumer());
    using presenter = new Presenter(stage);
    presenter.frame(RED);
    const { imageIndex } = stage.device.vkAcquireNextImageKHR(presenter.swapchain, FOREVER, presenter.acquired);
    stage.queue.vkQueueSubmit([{
      pWaitSemaphores: [presenter.acquired],
      pWaitDstStageMask: [0x1000],
      pSignalSemaphores: [presenter.drawn],
    }]);
    stage.window.close();
    assertEquals(resultOf(() => presenter.present(imageIndex)), SURFACE_LOST);
    const capabilities = () => stage.gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(stage.surface);
    assertEquals(resultOf(capabilities), SURFACE_LOST);
    assertEquals(resultOf(() => stage.device.vkCreateSwapchainKHR(swapchainInfoOf(stage))), SURFACE_LOST);
  });

  test("a surface that is destroyed under its swapchain leaves that out of date", () => {
    using stage = stageWith(droppingConsumer());
    using presenter = new Presenter(stage);
    const { imageIndex } = stage.device.vkAcquireNextImageKHR(presenter.swapchain, FOREVER, presenter.acquired);
    stage.queue.vkQueueSubmit([{
      pWaitSemaphores: [presenter.acquired],
      pWaitDstStageMask: [0x1000],
      pSignalSemaphores: [presenter.drawn],
    }]);
    stage.loseSurface();
    assertEquals(resultOf(() => presenter.present(imageIndex)), OUT_OF_DATE);
    assertThrows(() => stage.instance.vkDestroySurfaceKHR(stage.surface), TypeError, "that surface was destroyed");
  });

  test("vkCreateSwapchainKHR refuses a window that another swapchain draws into", () => {
    using stage = stageWith(droppingConsumer());
    using presenter = new Presenter(stage);
    assertEquals(resultOf(() => stage.device.vkCreateSwapchainKHR(swapchainInfoOf(stage))), IN_USE);
    assertEquals(presenter.frame(RED).presented, 0);
    assertThrows(
      () => stage.instance.vkCreateAndroidSurfaceKHR({ window: 0x1234n as never }),
      TypeError,
      "0x1234 is not a window",
    );
    assertEquals(
      resultOf(() => stage.instance.vkCreateAndroidSurfaceKHR({ window: stage.window.address as never })),
      IN_USE,
    );
  });

  test("a device that ends in the middle of a frame gives everything back", () => {
    const stage = stageWith(droppingConsumer());
    const { device, surface, window } = stage;
    const swapchain = device.vkCreateSwapchainKHR(swapchainInfo(surface, window)), fence = device.vkCreateFence({});
    device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence);
    device.vkWaitForFences([fence], true, FOREVER);
    device.vkDestroyFence(fence);
    stage[Symbol.dispose]();
  });

  test("swapchains are made anew a hundred times, at other sizes and in other modes", () => {
    using stage = stageWith(droppingConsumer());
    const modes = Object.values(MODES);
    for (let turn = 0; turn < 100; turn++) {
      stage.window.resize(16 + turn, 8 + (turn % 7));
      using presenter = new Presenter(stage, { presentMode: modes[turn % modes.length] as never });
      if (turn % 5 < 2) assertEquals(presenter.frame(RED).presented, 0);
    }
  });
}

function swapchainInfoOf({ surface }: Stage) {
  return {
    ...{ surface, minImageCount: 3, imageFormat: 37 as never, imageExtent: SIZE, imageArrayLayers: 1 },
    ...{ imageUsage: 0x10 as never, preTransform: 1 as never, compositeAlpha: 8 as never, presentMode: 2 as never },
  };
}

function waitOn(stage: Stage, semaphore: Presenter["acquired"]): void {
  stage.queue.vkQueueSubmit([{ pWaitSemaphores: [semaphore], pWaitDstStageMask: [0x1000] }]);
  stage.device.vkDeviceWaitIdle();
}
