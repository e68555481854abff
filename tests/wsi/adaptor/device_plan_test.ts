import { assert, assertEquals } from "@std/assert";
import { poke32 } from "../../../ffi/machine.ts";
import { defineLayer, type Layer, loadVulkan } from "../../../loader/mod.ts";
import { deviceLimits } from "../../../workbench/layers.ts";
import { DMA_BUF_EXTENSIONS } from "../../../wsi/adaptor/constants.ts";
import { devicePlans } from "../../../wsi/adaptor/device_plan.ts";
import type { GpuFacts } from "../../../wsi/adaptor/gpu_facts.ts";
import { nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { needs } from "../../support/require.ts";
import { ADAPTED, openBench, openCanvas, PICTURE, showFrame, wrongPixels } from "./drawing.ts";

const OFFERED = [
  "VK_EXT_external_memory_host",
  "VK_KHR_swapchain",
  "VK_KHR_timeline_semaphore",
  "VK_KHR_external_memory",
];
const GPU = {
  version: 0x402000,
  extensions: new Map(OFFERED.map((name) => [name, 1])),
  hostAlignment: 4096,
  hasTimeline: true,
  syncFd: { semaphores: false, fences: false, exports: false },
  queues: [{ count: 2, canWork: true }, { count: 1, canWork: false }, { count: 1, canWork: true }],
} as unknown as GpuFacts;
const SURFACE = { version: 0x402000, extensions: new Set(["VK_KHR_surface"]) };
const BARE = { version: 0x402000, extensions: new Set<string>() };
const queue = (queueFamilyIndex: number, ...pQueuePriorities: number[]) => ({
  queueFamilyIndex,
  pQueuePriorities,
  flags: 0,
});
const INFO = {
  ppEnabledExtensionNames: ["VK_ANDROID_native_buffer", "VK_KHR_swapchain"],
  pQueueCreateInfos: [queue(0, 0.5)],
  pNext: [],
};

Deno.test("devicePlans() adds extensions and a queue, then only extensions, then nothing", () => {
  const [best, shared, bare] = devicePlans(INFO, GPU, SURFACE);
  assertEquals(best.info.ppEnabledExtensionNames, ["VK_KHR_swapchain", "VK_EXT_external_memory_host"]);
  assertEquals((best.info.pQueueCreateInfos as { pQueuePriorities: number[] }[])[0].pQueuePriorities, [0.5, 1]);
  assertEquals(best.queue, { family: 0, index: 1, isPrivate: true });
  assertEquals([best.timeline, best.hostImport], [true, true]);
  assertEquals([shared.queue, shared.info.pQueueCreateInfos], [
    { family: 0, index: 0, isPrivate: false },
    INFO.pQueueCreateInfos,
  ]);
  assertEquals(bare.info.ppEnabledExtensionNames, ["VK_KHR_swapchain"]);
  assertEquals([bare.timeline, bare.hostImport], [false, false]);
});

Deno.test("devicePlans() takes a queue of another family when the application has all of its own", () => {
  const [best] = devicePlans({ ...INFO, pQueueCreateInfos: [queue(0, 1, 1)] }, GPU, BARE);
  assertEquals(best.queue, { family: 2, index: 0, isPrivate: true }); // family 1 cannot do what it is for
  const all = [queue(0, 1, 1), queue(1, 1), queue(2, 1)];
  assertEquals(devicePlans({ ...INFO, pQueueCreateInfos: all }, GPU, BARE)[0].queue?.isPrivate, false);
});

Deno.test("devicePlans() enables timelines in the application's own struct if it has one", () => {
  for (const sType of [51, 1000207000]) {
    const own = { sType, timelineSemaphore: false, descriptorIndexing: true },
      other = { sType: 53, synchronization2: true };
    const [best] = devicePlans({ ...INFO, pNext: [other, own] }, GPU, BARE);
    assertEquals(best.info.pNext, [other, { ...own, timelineSemaphore: true }]);
    assertEquals(own.timelineSemaphore, false);
  }
  const [best] = devicePlans(INFO, GPU, BARE);
  assertEquals(best.info.pNext, [{ sType: 1000207000, timelineSemaphore: true }]);
  const [without] = devicePlans(INFO, { ...GPU, hasTimeline: false } as GpuFacts, BARE);
  assertEquals([without.info.pNext, without.timeline], [[], false]);
});

Deno.test("devicePlans() adds what images in dma-bufs need, if the driver has all of that", () => {
  const offered = (names: readonly string[]) => new Map(names.map((name) => [name, 1]));
  const all = [...DMA_BUF_EXTENSIONS, "VK_KHR_image_format_list"];
  const [best, , bare] = devicePlans(INFO, { ...GPU, extensions: offered(all) }, BARE);
  assertEquals([best.info.ppEnabledExtensionNames, best.dmaBufImport], [["VK_KHR_swapchain", ...all], true]);
  assertEquals(bare.dmaBufImport, false);
  const [without] = devicePlans(INFO, { ...GPU, extensions: offered(all.slice(1)) }, BARE);
  assertEquals([without.info.ppEnabledExtensionNames, without.dmaBufImport], [["VK_KHR_swapchain"], false]);
});

Deno.test("devicePlans() asks an old device for the extensions that became part of Vulkan 1.1 and 1.2", () => {
  const [best] = devicePlans(INFO, { ...GPU, version: 0x400000 } as GpuFacts, BARE);
  const names = best.info.ppEnabledExtensionNames as string[];
  assert(names.includes("VK_KHR_external_memory") && names.includes("VK_KHR_timeline_semaphore"));
});

for (const [driver, path] of ADAPTED) {
  Deno.test(`nativeBufferAdaptor() shares the one queue that ${driver} has`, needs(driver, path), () => {
    const adaptor = nativeBufferAdaptor();
    using bench = openBench(adaptor, { driver: path! });
    assertEquals(adaptor.describe(bench.device.handle)!.queue, { family: 0, index: 0, isPrivate: false });
  });

  Deno.test(`a queue of the adaptor's own on ${driver} takes what acquires have to submit`, needs(driver, path), () => {
    const asked: number[] = [], adaptor = nativeBufferAdaptor();
    using bench = openBench(adaptor, { driver: path!, layers: [adaptor, twoQueues(asked, () => 0)] });
    const { device } = bench, fence = device.vkCreateFence({}), { fence: native, signal } = NativeFence.create();
    assertEquals(adaptor.describe(device.handle)!.queue, { family: 0, index: 1, isPrivate: true });
    using canvas = openCanvas(device, 37, 61, 37);
    device.vkAcquireImageANDROID(canvas.image, native.take(), null, fence);
    signal();
    assertEquals(device.vkWaitForFences([fence], true, 5_000_000_000n), 0);
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, [255, 0, 0, 255], [0, 255, 255, 255]), 0);
    assertEquals(asked, [2]);
    device.vkDestroyFence(fence);
  });

  Deno.test(`the adaptor leaves out features that ${driver} refuses for a device`, needs(driver, path), () => {
    const asked: number[] = [], said: string[] = [], adaptor = nativeBufferAdaptor({ log: (text) => said.push(text) });
    const refusing = twoQueues(asked, (names) => names.includes("VK_EXT_external_memory_host") ? -3 : 0);
    using bench = openBench(adaptor, { driver: path!, layers: [adaptor, refusing] });
    using canvas = openCanvas(bench.device, 37, 61, 37);
    showFrame(bench, canvas);
    assertEquals(wrongPixels(canvas.buffer, PICTURE, [255, 0, 0, 255], [0, 255, 255, 255]), 0);
    const { formats: [{ tier, copies }], hostImport, timeline } = adaptor.describe(bench.device.handle)!;
    assertEquals({ tier, copies, hostImport, timeline }, {
      tier: "staging",
      copies: 2,
      hostImport: false,
      timeline: false,
    });
    assertEquals(asked, [2, 1, 1]);
  });

  Deno.test(`without timeline semaphores, frames on ${driver} wait`, needs(driver, path), () => {
    const { layer } = deviceLimits({
      hideExtensions: ["VK_KHR_timeline_semaphore"],
      hideFeatures: ["timelineSemaphore"],
    });
    for (const tier of ["optimal", "staging"] as const) {
      const forced = nativeBufferAdaptor({ tier });
      using bench = openBench(forced, { driver: path!, layers: [forced, layer] });
      using canvas = openCanvas(bench.device, 37, 61, 37);
      for (let frame = 0; frame < 3; frame++) showFrame(bench, canvas);
      assertEquals(wrongPixels(canvas.buffer, PICTURE, [255, 0, 0, 255], [0, 255, 255, 255]), 0);
      const { semaphores, timeline } = forced.describe(bench.device.handle)!;
      assertEquals({ semaphores, timeline }, { semaphores: "native", timeline: false });
    }
  });

  Deno.test(`an instance for Vulkan 1.0 of ${driver} has native buffers, too`, needs(driver, path), () => {
    const adaptor = nativeBufferAdaptor();
    using vulkan = loadVulkan({ driver: path!, layers: [adaptor] });
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using device = gpu.vkCreateDevice({
      ppEnabledExtensionNames: ["VK_ANDROID_native_buffer"],
      pQueueCreateInfos: [queue(0, 1)],
    });
    using canvas = openCanvas(device, 37, 61, 37);
    const semaphore = device.vkCreateSemaphore({}), ready = device.vkGetDeviceQueue(0, 0);
    device.vkAcquireImageANDROID(canvas.image, -1, semaphore);
    const fence = adaptor.release(ready.handle, 0, 0n, canvas.image as unknown as bigint);
    assert(typeof fence !== "number" && fence.wait(5000));
    ready.vkQueueSubmit([{ pWaitSemaphores: [semaphore], pWaitDstStageMask: [1] }], null);
    ready.vkQueueWaitIdle();
    device.vkDestroySemaphore(semaphore);
    const { formats: [{ tier }], semaphores, hostImport } = adaptor.describe(device.handle)!;
    assertEquals({ tier, semaphores, hostImport }, { tier: "optimal", semaphores: "virtual", hostImport: true });
  });
}

Deno.test(
  "a driver that has VK_ANDROID_native_buffer itself is left alone",
  needs("Mesa lavapipe", ADAPTED[0][1]),
  () => {
    const calls: string[] = [], EXTENSION = { extensionName: "VK_ANDROID_native_buffer", specVersion: 7 };
    const { layer: own } = {
      layer: defineLayer({
        name: "VK_LAYER_TEST_own_buffers",
        deviceExtensions: [EXTENSION],
        commands: {
          vkEnumerateDeviceExtensionProperties: (next, gpu, layer, count, out) => listing(next, gpu, layer, count, out),
          vkGetSwapchainGrallocUsageANDROID: () => (calls.push("usage"), -11),
          vkAcquireImageANDROID: (_next, _device, _image, fd) => (calls.push(`acquire ${fd}`), 0),
          vkQueueSignalReleaseImageANDROID: () => (calls.push("release"), -4),
        },
      }),
    };
    const adaptor = nativeBufferAdaptor(),
      listing = nativeBufferAdaptor().commands!.vkEnumerateDeviceExtensionProperties!;
    using bench = openBench(adaptor, { driver: ADAPTED[0][1]!, layers: [adaptor, own] });
    const { device, queue } = bench;
    assertEquals([adaptor.takesPartIn(device.handle), adaptor.describe(device.handle)], [false, undefined]);
    device.vkAcquireImageANDROID(7n as never, 3);
    assertEquals(queue.raw.vkQueueSignalReleaseImageANDROID(queue.handle, 0, 0n, 7n, 4096n), -4);
    assertEquals(calls, ["acquire 3", "release"]);
    const semaphore = device.vkCreateSemaphore({});
    queue.vkQueueSubmit([{ pSignalSemaphores: [semaphore] }], null);
    queue.vkQueueWaitIdle();
    device.vkDestroySemaphore(semaphore);
  },
);

/** A driver with two queues, of which it has one; `refuse` says with what it makes no device. */
function twoQueues(asked: number[], refuse: (names: string[]) => number): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_two_queues",
    commands: {
      vkGetPhysicalDeviceQueueFamilyProperties(next, gpu, count, out) {
        next(gpu, count, out);
        if (out !== 0n) poke32(out + 4n, 2); // queueCount
      },
      vkCreateDevice(next, gpu, info, allocator, out) {
        const given = this.read("VkDeviceCreateInfo", info), [first] = given.pQueueCreateInfos!;
        asked.push(first.queueCount);
        const result = refuse(given.ppEnabledExtensionNames ?? []);
        const one = [{ ...first, queueCount: 1, pQueuePriorities: [1] }];
        return result ||
          next(gpu, this.write("VkDeviceCreateInfo", { ...given, pQueueCreateInfos: one }), allocator, out);
      },
      vkGetDeviceQueue: (next, device, family, _index, out) => next(device, family, 0, out),
    },
  });
}
