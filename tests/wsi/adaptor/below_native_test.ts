import { assert, assertEquals } from "@std/assert";
import { peek64 } from "../../../ffi/machine.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { type AdaptorTier, nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { ADAPTED, openBench } from "./drawing.ts";

const IMAGE = { width: 61, height: 37 };

/** A stand-in for a swapchain layer: every image is one of a buffer, and handles are as they are below validation. */
function swapchainLike(): { layer: Layer; seen: Record<string, bigint[]>; buffers: GraphicBuffer[]; act: Acts } {
  const seen: Record<string, bigint[]> = { devices: [], queues: [], images: [], semaphores: [] },
    buffers: GraphicBuffer[] = [];
  const note = (list: bigint[], result: number, out: bigint) => {
    if (result >= 0) list.push(peek64(out));
    return result;
  };
  const act: Acts = {};
  const layer = defineLayer({
    name: "VK_LAYER_TEST_swapchain_like",
    commands: {
      vkCreateDevice(next, gpu, info, allocator, out) {
        const given = this.read("VkDeviceCreateInfo", info);
        const changed = { ...given, enabledExtensionCount: 1, ppEnabledExtensionNames: ["VK_ANDROID_native_buffer"] };
        return note(seen.devices, next(gpu, this.write("VkDeviceCreateInfo", changed), allocator, out), out);
      },
      vkGetDeviceQueue(next, device, family, index, out) {
        next(device, family, index, out);
        note(seen.queues, 0, out);
      },
      vkCreateSemaphore: (next, device, info, allocator, out) =>
        note(seen.semaphores, next(device, info, allocator, out), out),
      vkCreateImage(next, device, info, allocator, out) {
        const image = this.read("VkImageCreateInfo", info), below = this.below(device);
        const usageAt = this.write("VkExtent2D", { width: 0, height: 0 });
        const asked = this.write("VkGrallocUsageInfoANDROID", { format: image.format, imageUsage: image.usage });
        assertEquals(below.vkGetSwapchainGrallocUsage3ANDROID(device, asked, usageAt), 0);
        const buffer = allocateBuffer({ ...IMAGE, format: 1, usage: peek64(usageAt) }),
          { handle, stride, format } = buffer;
        buffers.push(buffer);
        const pNext = [{ sType: 1000010000 as const, handle, stride, format, usage: 0 }];
        return note(
          seen.images,
          next(device, this.write("VkImageCreateInfo", { ...image, pNext }), allocator, out),
          out,
        );
      },
      vkDeviceWaitIdle(next, device) {
        act.run?.();
        return next(device);
      },
    },
  });
  return { layer, seen, buffers, act };
}

/** The work within a hook: below a native layer, that is where the adaptor's commands are called. */
interface Acts {
  run?: () => void;
}

for (const [driver, path] of ADAPTED) {
  for (const tier of ["optimal", "staging"] satisfies AdaptorTier[]) {
    Deno.test(`the adaptor does its part below validation, too: ${driver}, ${tier}`, {
      ignore: needs(driver, path).ignore || needs("Khronos validation layer", validationManifest()).ignore,
    }, () => {
      const adaptor = nativeBufferAdaptor({ tier }), { layer, seen, buffers, act } = swapchainLike();
      {
        using bench = openBench(adaptor, {
          driver: path!,
          layers: ["VK_LAYER_KHRONOS_validation", layer, adaptor],
          extensions: ["VK_KHR_swapchain"], // for the layout PRESENT_SRC_KHR
          instanceExtensions: ["VK_KHR_surface"],
          validated: true,
        });
        const { device } = bench;
        const image = device.vkCreateImage({
          imageType: 1,
          format: 37,
          extent: { ...IMAGE, depth: 1 },
          mipLevels: 1,
          arrayLayers: 1,
          samples: 1,
          tiling: 0,
          usage: 0x13,
          sharingMode: 0,
          initialLayout: 0,
        });
        // Validation believes that no memory is bound: what it says of that is the swapchain layer's affair.
        const semaphore = device.vkCreateSemaphore({}),
          [handle] = seen.devices,
          [queue] = seen.queues,
          [ours] = seen.images;
        const { fence, signal } = NativeFence.create();
        act.run = () => assertEquals(adaptor.acquire(handle, ours, fence, seen.semaphores[0], 0n), 0);
        device.vkDeviceWaitIdle();
        signal();
        act.run = undefined;
        bench.queue.vkQueueSubmit([{ pWaitSemaphores: [semaphore], pWaitDstStageMask: [0x10000] }], null);
        act.run = () => {
          const released = adaptor.release(queue, 0, 0n, ours);
          assert(released instanceof NativeFence && released.wait(5000));
        };
        device.vkDeviceWaitIdle();
        act.run = undefined;
        device.vkDestroySemaphore(semaphore);
        device.vkDestroyImage(image);
        assertEquals(buffers[0].copies, tier === "staging" ? 1 : 0);
        assertEquals(bench.messages.map((each) => each.match(/VUID[\w-]*/)?.[0]), EXPECTED);
      }
      for (const buffer of buffers) buffer.close();
    });
  }
}

/** The semaphore is signalled behind validation's back, as no swapchain does it. */
const EXPECTED = ["VUID-vkQueueSubmit-pWaitSemaphores-03238"];
