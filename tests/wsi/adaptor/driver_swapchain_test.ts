import { assertEquals, assertObjectMatch } from "@std/assert";
import { swiftshaderPath } from "../../../tools/setup/parts.ts";
import { arena } from "../../../ffi/arena.ts";
import { structAt } from "../../../loader/codec/codec.ts";
import type { Adaptor } from "../../../wsi/adaptor/adaptor.ts";
import { driverSwapchainHooks } from "../../../wsi/adaptor/driver_swapchain_hooks.ts";
import { scratch, write } from "../../../wsi/adaptor/struct.ts";
import { VirtualSemaphore } from "../../../wsi/adaptor/virtual_semaphores.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import { needs } from "../../support/require.ts";
import { FOREVER, Presenter, Stage } from "../swapchain/presenter.ts";

Deno.test("vkAcquireNextImage2KHR reaches the driver with all of its info, and a real semaphore", () => {
  const virtual = new VirtualSemaphore(5n), seen: object[] = [];
  virtual.shadow = 7n;
  const adaptor = { deviceOf: () => ({ semaphores: new Map([[5n, virtual]]) }) } as unknown as Adaptor;
  const hook = driverSwapchainHooks(adaptor).vkAcquireNextImage2KHR as unknown as (...args: unknown[]) => number;
  const next = (_device: bigint, info: bigint) => (seen.push(structAt("VkAcquireNextImageInfoKHR", info)), 0);
  const given = { swapchain: 3n, timeout: 9n, semaphore: 5n, fence: 11n, deviceMask: 0xa5 };
  scratch(() => {
    const info = write("VkAcquireNextImageInfoKHR", given), dirt = arena().alloc(256);
    arena().bytes.fill(0xff, dirt, dirt + 256);
    arena().release(dirt);
    assertEquals(hook(next, 1n, info, 0n), 0);
  });
  assertObjectMatch(seen[0], { ...given, semaphore: 7n });
  assertEquals(virtual.imported, "temporary");
});

const BGRA8 = 44, PRESENT_SRC = 1000001002;

Deno.test("a driver's own swapchains work beside native windows", needs("SwiftShader", swiftshaderPath()), () => {
  using stage = new Stage({
    driver: swiftshaderPath()!,
    window: { width: 64, height: 32, consumer: droppingConsumer() },
    instanceExtensions: ["VK_EXT_headless_surface"],
  });
  const { instance, device, queue } = stage;
  const surface = instance.vkCreateHeadlessSurfaceEXT({});
  const swapchain = device.vkCreateSwapchainKHR({
    ...{ surface, minImageCount: 3, imageFormat: BGRA8, imageExtent: { width: 16, height: 16 }, imageArrayLayers: 1 },
    ...{ imageUsage: 0x10, preTransform: 1, compositeAlpha: 1, presentMode: 2, clipped: true },
  });
  const images = device.vkGetSwapchainImagesKHR(swapchain);
  const [acquired, drawn] = [device.vkCreateSemaphore({}), device.vkCreateSemaphore({})];
  const commandPool = device.vkCreateCommandPool({ flags: 2, queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  {
    using presenter = new Presenter(stage, { imageUsage: 0x12 });
    for (let frame = 0; frame < 20; frame++) {
      assertEquals(presenter.frame([frame / 20, 0, 0, 1]).presented, 0);
      const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, acquired);
      commands.vkBeginCommandBuffer({});
      const range = { aspectMask: 1, levelCount: 1, layerCount: 1 }, none = ~0 >>> 0;
      commands.vkCmdPipelineBarrier(0x1000, 0x2000, 0, [], [], [{
        ...{ image: images[imageIndex], subresourceRange: range, srcQueueFamilyIndex: none, dstQueueFamilyIndex: none },
        newLayout: PRESENT_SRC,
      }]);
      commands.vkEndCommandBuffer();
      queue.vkQueueSubmit([{
        pWaitSemaphores: [acquired],
        pWaitDstStageMask: [0x1000],
        pCommandBuffers: [commands],
        pSignalSemaphores: [drawn],
      }]);
      assertEquals(
        queue.vkQueuePresentKHR({ pWaitSemaphores: [drawn], pSwapchains: [swapchain], pImageIndices: [imageIndex] }),
        0,
      );
      device.vkDeviceWaitIdle();
    }
  }
  device.vkDestroyCommandPool(commandPool);
  for (const semaphore of [acquired, drawn]) device.vkDestroySemaphore(semaphore);
  device.vkDestroySwapchainKHR(swapchain);
  instance.vkDestroySurfaceKHR(surface);
});
