import { assert, assertEquals } from "@std/assert";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import { createMessenger, listen } from "../../support/messenger.ts";
import { needs } from "../../support/require.ts";
import { DRIVERS } from "../adaptor/drawing.ts";
import { FOREVER, MODES, Presenter, Stage, type StageOptions } from "./presenter.ts";

const RED = [1, 0, 0, 1] as const, VALIDATION = "VK_LAYER_KHRONOS_validation";
const SIZE = { width: 64, height: 32 };

for (const [name, driver] of DRIVERS) {
  const part = {
    ignore: needs(name, driver).ignore || needs("Khronos validation layer", validationManifest()).ignore,
  };
  /** A test of an application about which validation, above the window system, has nothing to say. */
  const test = (title: string, body: (stage: Stage) => void, more: Partial<StageOptions> = {}) =>
    Deno.test(`${title} under validation (${name})`, part, () => {
      const messenger = createMessenger();
      try {
        using stage = new Stage({
          driver: driver!,
          layers: [VALIDATION],
          ...more,
          instanceExtensions: ["VK_EXT_debug_utils", ...more.instanceExtensions ?? []],
          window: { ...SIZE, consumer: droppingConsumer(), ...more.window },
          onInstance: (instance) => listen(instance, messenger),
        });
        body(stage);
      } finally {
        messenger.close();
      }
      assertEquals(messenger.messages.map((message) => message.slice(0, 400)), []);
    });

  test("frames are drawn and presented with semaphores", (stage) => {
    using presenter = new Presenter(stage);
    for (let frame = 0; frame < 8; frame++) assertEquals(presenter.frame(RED).presented, 0);
  });

  test("images are acquired with a fence", (stage) => {
    const { device } = stage, fence = device.vkCreateFence({});
    using presenter = new Presenter(stage);
    for (let frame = 0; frame < 4; frame++) {
      const { result, imageIndex } = device.vkAcquireNextImageKHR(presenter.swapchain, FOREVER, null, fence);
      assertEquals([result, device.vkWaitForFences([fence], true, FOREVER)], [0, 0]);
      device.vkResetFences([fence]);
      presenter.draw(imageIndex, RED);
      assertEquals(presenter.present(imageIndex), 0);
      presenter.settle();
    }
    device.vkDestroyFence(fence);
  });

  for (const [mode, presentMode] of Object.entries(MODES).slice(0, 2)) {
    test(`a window that is resized gets a new swapchain in the place of the old one, ${mode}`, (stage) => {
      const { window, device } = stage;
      let presenter = new Presenter(stage, { presentMode: presentMode as never });
      for (const size of [40, 50, 60]) {
        assertEquals(presenter.frame(RED).presented, 0);
        window.resize(size, size);
        const { currentExtent, minImageCount } = stage.gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(stage.surface);
        assertEquals(currentExtent, { width: size, height: size });
        device.vkDeviceWaitIdle();
        const old = presenter;
        const info = { presentMode: presentMode as never, minImageCount, oldSwapchain: old.swapchain };
        presenter = new Presenter(stage, info);
        old[Symbol.dispose]();
      }
      assertEquals(presenter.frame(RED).presented, 0);
      presenter[Symbol.dispose]();
    });
  }

  test("a swapchain of several queries and extensions is made", (stage) => {
    const { gpu, surface } = stage;
    assert(gpu.vkGetPhysicalDeviceSurfaceSupportKHR(0, surface));
    assert(gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(surface).length > 0);
    assert(gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(surface).length > 0);
    assert(gpu.vkGetPhysicalDevicePresentRectanglesKHR(surface).length > 0);
    using presenter = new Presenter(stage);
    const pRectangles = [{ offset: { x: 0, y: 0 }, extent: { width: 4, height: 4 }, layer: 0 }];
    // 1.3.239 wants nothing chained behind the regions.
    const regions = { sType: 1000084000, pRegions: [{ pRectangles }] } as never;
    const times = { sType: 1000092000, pTimes: [{ presentID: 1, desiredPresentTime: 0n }] } as never;
    assertEquals(presenter.frame(RED, [times, regions]).presented, 0);
    stage.device.vkGetRefreshCycleDurationGOOGLE(presenter.swapchain);
    stage.device.vkGetPastPresentationTimingGOOGLE(presenter.swapchain);
  }, {
    deviceExtensions: ["VK_KHR_incremental_present", "VK_GOOGLE_display_timing", "VK_EXT_hdr_metadata"],
    instanceExtensions: ["VK_EXT_swapchain_colorspace", "VK_KHR_get_surface_capabilities2"],
  });
}
