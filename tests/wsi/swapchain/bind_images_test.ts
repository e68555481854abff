import { assert, assertEquals, assertThrows } from "@std/assert";
import { peek32 } from "../../../ffi/machine.ts";
import { droppingConsumer } from "../../../wsi/consumer/dropping.ts";
import type { Frame, FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { needs } from "../../support/require.ts";
import { DRIVERS } from "../adaptor/drawing.ts";
import { FOREVER, Presenter, recordClear, Stage } from "./presenter.ts";

const GREEN = [0, 1, 0, 1] as const, DEFERRED = 8 as never;
const SIZE = { width: 48, height: 16 };

/** A consumer that notes the last pixel of each frame. */
function pixels(): FrameConsumer & { readonly seen: number[] } {
  const seen: number[] = [];
  return {
    seen,
    attach() {},
    onFrame(source) {
      for (let frame: Frame | undefined; (frame = source.acquire());) {
        frame.fence.wait();
        const { buffer } = frame, last = buffer.rowPitch * (SIZE.height - 1) + 4 * (SIZE.width - 1);
        seen.push(peek32(buffer.memory.address + BigInt(last)));
        frame.release();
      }
    },
  };
}

for (const [name, driver] of DRIVERS) {
  const test = (title: string, body: () => void) => Deno.test(`${title} (${name})`, needs(name, driver), body);
  const open = (consumer: FrameConsumer) =>
    new Stage({
      driver: driver!,
      deviceExtensions: ["VK_EXT_swapchain_maintenance1"],
      window: { ...SIZE, consumer },
    });

  test("VK31 an application's image draws into the buffer of a swapchain's image", () => {
    const consumer = pixels();
    using stage = open(consumer);
    using presenter = new Presenter(stage);
    const { device, queue } = stage, { swapchain } = presenter, fence = device.vkCreateFence({});
    const images = presenter.images.map((_, imageIndex) => {
      const image = device.vkCreateImage({
        ...{ imageType: 1, format: 37, extent: { ...SIZE, depth: 1 }, mipLevels: 1, arrayLayers: 1 },
        ...{ samples: 1, tiling: 0, usage: 0x12, sharingMode: 0, initialLayout: 0 },
        pNext: [{ sType: 1000060008, swapchain }],
      });
      device.vkBindImageMemory2([{
        ...{ image, memory: null as never, memoryOffset: 0n },
        pNext: [{ sType: 1000060009, swapchain, imageIndex }],
      }]);
      return image;
    });
    const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0, flags: 2 });
    const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
    for (let frame = 0; frame < 4; frame++) {
      const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, FOREVER, null, fence);
      device.vkWaitForFences([fence], true, FOREVER);
      device.vkResetFences([fence]);
      recordClear(commands, images[imageIndex], GREEN);
      queue.vkQueueSubmit([{ pCommandBuffers: [commands], pSignalSemaphores: [presenter.drawn] }]);
      assertEquals(presenter.present(imageIndex), 0);
      device.vkDeviceWaitIdle();
    }
    assertEquals(consumer.seen, Array(4).fill(0xff00ff00));
    for (const image of images) device.vkDestroyImage(image);
    device.vkDestroyCommandPool(pool);
    device.vkDestroyFence(fence);
  });

  test("VK31 an image is not bound to an image there is none of", () => {
    using stage = open(droppingConsumer());
    using presenter = new Presenter(stage);
    const { device } = stage, { swapchain } = presenter;
    const image = device.vkCreateImage({
      ...{ imageType: 1, format: 37, extent: { ...SIZE, depth: 1 }, mipLevels: 1, arrayLayers: 1 },
      ...{ samples: 1, tiling: 0, usage: 0x12, sharingMode: 0, initialLayout: 0 },
      pNext: [{ sType: 1000060008, swapchain }],
    });
    const bind = () =>
      device.vkBindImageMemory2([{
        ...{ image, memory: null as never, memoryOffset: 0n },
        pNext: [{ sType: 1000060009, swapchain, imageIndex: 9 }],
      }]);
    assertThrows(bind, TypeError, "it has 3");
    device.vkDestroyImage(image);
  });

  test("a swapchain whose memory is allocated late draws as others do", () => {
    const consumer = pixels();
    using stage = open(consumer);
    using presenter = new Presenter(stage, { flags: DEFERRED });
    for (let frame = 0; frame < 8; frame++) assertEquals(presenter.frame(GREEN).presented, 0);
    assertEquals(consumer.seen, Array(8).fill(0xff00ff00));
    assert(presenter.images.length >= 3);
  });
}
