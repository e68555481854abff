import { assert, assertEquals } from "@std/assert";
import type { VkCommandBuffer, VkImage, VkInstance, VkSemaphore } from "../../../../loader/gen/types_core_gen.ts";
import type { VkPresentInfoKHR } from "../../../../loader/gen/types_khr_gen.ts";
import { objectLeaks, readRecording, replayRecording } from "../../../../workbench/layers.ts";
import { peek64, poke32 } from "../../../../ffi/machine.ts";
import { defineLayer, VulkanError } from "../../../../loader/mod.ts";
import { VK_ERROR_OUT_OF_DATE_KHR } from "../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { createMessenger, listen } from "../../../support/messenger.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { recorded, wholeOf } from "./recorded.ts";
import { staleMemory } from "./stale_memory.ts";

const parts = [
  needs("Mesa lavapipe", lavapipePath()),
  needs("SwiftShader", swiftshaderPath()),
  needs("Khronos validation layer", validationManifest()),
];
const WIDTH = 20, HEIGHT = 10, B8G8R8A8_UNORM = 44;
/** Offset in a VkPresentInfoKHR. */
const RESULTS = 56n;
const PRESENT_SRC = 1000001002, TRANSFER_DST_OPTIMAL = 7;
const COLOURS = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]] as const;

/** Presents a picture of each colour to a surface that nobody sees. */
function presentColours(instance: VkInstance): void {
  using owned = new DisposableStack();
  const [gpu] = instance.vkEnumeratePhysicalDevices(), surface = instance.vkCreateHeadlessSurfaceEXT({});
  owned.defer(() => instance.vkDestroySurfaceKHR(surface));
  const device = owned.use(gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: ["VK_KHR_swapchain"],
  }));
  const queue = device.vkGetDeviceQueue(0, 0), pool = device.vkCreateCommandPool({ flags: 2, queueFamilyIndex: 0 });
  owned.defer(() => device.vkDestroyCommandPool(pool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  const [acquired, drawn] = [0, 1].map(() => device.vkCreateSemaphore({}));
  for (const each of [acquired, drawn]) owned.defer(() => device.vkDestroySemaphore(each));
  const swapchain = device.vkCreateSwapchainKHR({
    surface,
    minImageCount: 2,
    imageFormat: B8G8R8A8_UNORM,
    imageExtent: { width: WIDTH, height: HEIGHT },
    imageArrayLayers: 1,
    imageUsage: 2, // transfer destination
    preTransform: 1,
    compositeAlpha: 1,
    presentMode: 2, // FIFO
  });
  owned.defer(() => device.vkDestroySwapchainKHR(swapchain));
  const images = device.vkGetSwapchainImagesKHR(swapchain);
  const present = (info: VkPresentInfoKHR) => {
    try {
      queue.vkQueuePresentKHR(info);
    } catch (error) {
      if (!(error instanceof VulkanError) || error.code !== VK_ERROR_OUT_OF_DATE_KHR) throw error;
    }
  };
  for (const colour of COLOURS) {
    const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, 2n ** 64n - 1n, acquired);
    recordClear(commands, images[imageIndex], colour);
    queue.vkQueueSubmit([{
      pWaitSemaphores: [acquired],
      pWaitDstStageMask: [0x1000],
      pCommandBuffers: [commands],
      pSignalSemaphores: [drawn],
    }]);
    present({ pWaitSemaphores: [drawn], pSwapchains: [swapchain], pImageIndices: [imageIndex] });
    queue.vkQueueWaitIdle();
  }
}

function recordClear(
  commands: VkCommandBuffer,
  image: VkImage,
  float32: readonly [number, number, number, number],
): void {
  const { range, barrier } = wholeOf(image);
  commands.vkBeginCommandBuffer({});
  commands.vkCmdPipelineBarrier(0x1000, 0x1000, 0, [], [], [
    { ...barrier, dstAccessMask: 0x1000, newLayout: TRANSFER_DST_OPTIMAL },
  ]);
  commands.vkCmdClearColorImage(image, TRANSFER_DST_OPTIMAL, { float32: [...float32] }, [range]);
  commands.vkCmdPipelineBarrier(0x1000, 0x2000, 0, [], [], [
    { ...barrier, srcAccessMask: 0x1000, oldLayout: TRANSFER_DST_OPTIMAL, newLayout: PRESENT_SRC },
  ]);
  commands.vkEndCommandBuffer();
}

Deno.test("replayRecording() presents where there is no window system, on images of its own", {
  ignore: parts.some(({ ignore }) => ignore),
}, () => {
  withFolder((folder) => {
    const path = `${folder}/present.jsonl`;
    recorded(path, { driver: swiftshaderPath()! }, presentColours, ["VK_KHR_surface", "VK_EXT_headless_surface"]);
    for (const driver of [lavapipePath()!, swiftshaderPath()!]) {
      using messenger = createMessenger();
      const leaks = objectLeaks(), seen: string[] = [];
      replayRecording({ driver, layers: [leaks.layer, "VK_LAYER_KHRONOS_validation"] }, path, {
        instanceExtensions: ["VK_EXT_debug_utils"],
        onInstance: (instance) => listen(instance, messenger),
        onPresent({ image, format, width, height, read }) {
          assertEquals([format, width, height], [B8G8R8A8_UNORM, WIDTH, HEIGHT]);
          const texels = read();
          assertEquals(texels.length, 4 * WIDTH * HEIGHT);
          assert(texels.every((value, index) => value === texels[index % 4]));
          assert(/^VkImage#\d$/.test(image), image);
          seen.push(texels.subarray(0, 4).join());
        },
      });
      assertEquals(seen, ["0,0,255,255", "0,255,0,255", "255,0,0,255"]);
      // Copying from the layout that everything can be done in is not the fastest way.
      assertEquals(messenger.messages.filter((message) => !message.includes("Performance Warning")), []);
      assertEquals(leaks.report().text, "no object was leaked, none is live");
    }
  });
});

Deno.test("replayRecording() waits on the semaphores of a picture that the surface rejected, and shows it not", {
  ignore: parts.some(({ ignore }) => ignore),
}, () => {
  withFolder((folder) => {
    const path = `${folder}/rejected.jsonl`, seen: string[] = [];
    let count = 0;
    const rejecting = defineLayer({
      name: "VK_LAYER_TEST_rejecting",
      commands: {
        vkQueuePresentKHR(next, queue, info) {
          const result = next(queue, info), results = peek64(info + RESULTS);
          if (++count !== 2) return result;
          if (results !== 0n) poke32(results, VK_ERROR_OUT_OF_DATE_KHR >>> 0);
          return VK_ERROR_OUT_OF_DATE_KHR;
        },
      },
    });
    const options = { driver: swiftshaderPath()!, layers: [rejecting] };
    recorded(path, options, presentColours, ["VK_KHR_surface", "VK_EXT_headless_surface"]);
    assertEquals(count, 3);
    const signalled = new Set<VkSemaphore>(), twice: VkSemaphore[] = [];
    const noting = defineLayer({
      name: "VK_LAYER_TEST_noting",
      commands: {
        vkQueueSubmit(next, queue, submitCount, pSubmits, fence) {
          for (
            const { pWaitSemaphores, pSignalSemaphores } of this.readAll("VkSubmitInfo", pSubmits, submitCount) ?? []
          ) {
            pWaitSemaphores?.forEach((each) => signalled.delete(each));
            twice.push(...(pSignalSemaphores ?? []).filter((each) => signalled.has(each)));
            pSignalSemaphores?.forEach((each) => signalled.add(each));
          }
          return next(queue, submitCount, pSubmits, fence);
        },
      },
    });
    replayRecording({ driver: swiftshaderPath()!, layers: [noting] }, path, {
      onPresent: ({ read }) => seen.push(read().subarray(0, 4).join()),
    });
    assertEquals(seen, ["0,0,255,255", "255,0,0,255"]);
    assertEquals(twice, []);
  });
});

Deno.test("replayRecording() begins with zero in the images of a window, whatever memory had in it", {
  ignore: parts.some(({ ignore }) => ignore),
}, () => {
  withFolder((folder) => {
    const path = `${folder}/present.jsonl`, seen: string[] = [];
    recorded(path, { driver: swiftshaderPath()! }, presentColours, ["VK_KHR_surface", "VK_EXT_headless_surface"]);
    const stream = readRecording(path);
    const lines = stream.lines.filter((line) => !("command" in line && line.command === "vkCmdClearColorImage"));
    replayRecording({ driver: lavapipePath()!, layers: [staleMemory(0xaa)] }, { ...stream, lines }, {
      onPresent: ({ read }) => seen.push([...new Set(read())].join()),
    });
    assertEquals(seen, ["0", "0", "0"]);
  });
});
